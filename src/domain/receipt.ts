/** Compares a network's numbers without case and white space, as `plain_name` of Postgres does. */
export const isSameName = (one: string, other: string): boolean => plainName(one) === plainName(other);

const plainName = (name: string) => name.replace(/\s/g, '').toUpperCase();
