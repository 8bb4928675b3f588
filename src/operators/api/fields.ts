import { z } from 'zod';
import { orRequired, sentenceField, timeField } from '../actions/actions.ts';

export { dateField, keyIdField, timeField } from '../actions/actions.ts';

/** A date means its midnight in Dar es Salaam. */
export const dayField = z
  .string(orRequired('must be a day or a time in ISO 8601'))
  .pipe(timeField)
  .meta({ description: 'A day, which begins at midnight in Dar es Salaam, or a time in ISO 8601' });

/** Each error message continues a sentence that begins with the field's name. */
export const text = (max: number, description: string | undefined) =>
  z
    .string(orRequired('must be text'))
    .refine((value) => value.trim() !== '' && value.length <= max, `must have 1 to ${max} characters`)
    .refine((value) => !value.includes('\u0000'), 'must not contain NUL')
    .meta({ minLength: 1, maxLength: max, description });

export const plainText = sentenceField;

/** Notes are kept for ever, so they must not contain customers' names or numbers. */
export const noteField = plainText(500).meta({ description: 'The note of the operators' });
export const reasonField = noteField.meta({ description: 'The reason, in the words of the person who asks' });

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, orRequired(`must be one of ${values.join(', ')}`));

export const uuidField = z.uuid(orRequired('must be a UUID')).transform((value) => value.toLowerCase());

export const wholeNumber = (min: number, max: number) =>
  z
    .int(orRequired(`must be a whole number from ${min} to ${max}`))
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

export const numberInQuery = (min: number, max: number, fallback: number, description: string) =>
  z
    .string()
    .default(String(fallback))
    .refine(
      (value) => /^\d{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number)
    .meta({ type: 'integer', minimum: min, maximum: max, default: fallback, description });

export const perPage = (most: number, usual: number) =>
  numberInQuery(1, most, usual, 'The number of items of a page');

export const pageQuery = {
  page: numberInQuery(1, 100_000, 1, 'The page, from 1'),
  per_page: perPage(200, 50),
};

export const only = <const Value extends string>(
  values: readonly Value[],
  description = 'Only items in this state',
) => oneOf(values).optional().meta({ description });
