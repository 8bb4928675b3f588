/** Compares a network's numbers without case and white space, like `plain_name` in Postgres. */
export const isSameName = (one: string, other: string): boolean => plainName(one) === plainName(other);

export const plainName = (name: string) => name.replace(/\s/g, '').toUpperCase();
