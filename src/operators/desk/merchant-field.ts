import { validationFailed } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import type { Desk } from './desk.ts';
import type { Form } from './page.ts';

export const merchantField = {
  name: 'merchant',
  label: 'Merchant',
  hint: 'The name, a part of it that no other merchant has, or the id',
} as const;

/** Throws if the text matches no merchant, or several. */
export async function merchantTyped(desk: Desk, form: Form): Promise<string> {
  const given = form.get('merchant') ?? '';
  if (isUuid(given)) return given.toLowerCase();
  const { data, pagination } = await desk.ask('listAccounts', { query: { name: given, per_page: 5 } });
  const exact = data.filter(({ name }) => name.toLowerCase() === given.toLowerCase());
  const meant = exact.length > 0 ? exact : data;
  const [only, ...others] = meant;
  if (only && others.length === 0) return only.id;
  const message = only
    ? `fits several merchants: ${meant.map(({ name, id }) => `${name} (${id})`).join(', ')}` +
      `${pagination.total_items > data.length ? ' and others' : ''}`
    : 'fits no merchant';
  throw validationFailed([{ field: 'merchant', message }]);
}
