/** Whether two numbers of theirs are one: case and white space do not count, as in `plain_name` of Postgres. */
export const isSameName = (one: string, other: string): boolean => plainName(one) === plainName(other);

const plainName = (name: string) => name.replace(/\s/g, '').toUpperCase();
