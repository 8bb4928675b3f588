type Joined<Parts extends readonly string[]> = Parts extends readonly [
  infer First extends string,
  ...infer Rest extends readonly [string, ...string[]],
]
  ? `${First} ${Joined<Rest>}`
  : Parts[0];

/** Joins the parts of a long sentence with spaces. The compiler still reads the names in its braces. */
export function long<const Parts extends readonly string[]>(...parts: Parts): Joined<Parts> {
  return parts.join(' ') as Joined<Parts>;
}
