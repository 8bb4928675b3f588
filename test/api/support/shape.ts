import assert from 'node:assert/strict';

/** What a value has to be: a literal, a pattern of a string, a question to ask it, or an object or array of these. */
export type Shape =
  | string
  | number
  | boolean
  | null
  | RegExp
  | ((value: unknown) => boolean)
  | { [key: string]: Shape }
  | Shape[];

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
export const sentence = /\S/;

/** Fails unless `value` has exactly the members of `shape`, no more and no fewer, and each is what it has to be. */
export function assertShape(value: unknown, shape: Shape, where = 'answer'): void {
  if (shape instanceof RegExp) {
    assert.equal(typeof value, 'string', `${where} is a string, not ${JSON.stringify(value)}`);
    assert.match(value as string, shape, where);
  } else if (typeof shape === 'function') {
    assert.ok(shape(value), `${where} is not to be ${JSON.stringify(value)}`);
  } else if (Array.isArray(shape)) {
    assert.ok(Array.isArray(value), `${where} is an array`);
    assert.equal(value.length, shape.length, `${where} has ${shape.length} items: ${JSON.stringify(value)}`);
    for (const [index, item] of shape.entries()) assertShape(value[index], item, `${where}[${index}]`);
  } else if (typeof shape === 'object' && shape !== null) {
    assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${where} is an object`);
    const members = value as Record<string, unknown>;
    assert.deepEqual(Object.keys(members).sort(), Object.keys(shape).sort(), `members of ${where}`);
    for (const [name, member] of Object.entries(shape))
      assertShape(members[name], member, `${where}.${name}`);
  } else {
    assert.strictEqual(value, shape, where);
  }
}
