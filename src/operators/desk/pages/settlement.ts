import { banks } from '../../../domain/bank.ts';
import { weekdays } from '../../../domain/day.ts';
import { networks } from '../../../domain/network.ts';
import { html } from '../../../platform/http/html.ts';
import type { Page } from '../page.ts';
import { proposing } from '../proposing.ts';
import { sentenceOf } from '../words.ts';
import { backTo } from './merchants.ts';

/** A proposal replaces the whole rule, with its account. */
export const settlementPage: Page = {
  path: 'merchants/{id}/settlement',
  title: 'Settlement to its own account',
  async show(desk) {
    const answer = await desk.ask('getAccount', { id: desk.id });
    const { days = weekdays, keep = '', smallest = '', cap = '' } = answer.settlement?.rule ?? {};
    const seen = { account_id: desk.id, replaces: answer.settlement?.set_by ?? null };
    const values = { days: days.join(' '), keep, smallest, cap };
    const { data: keys } = await desk.ask('listKeys', { query: { account: desk.id, per_page: 100 } });
    const options = {
      'bank.bic': banks.map(({ bic, name }) => [bic, name] as const),
      'wallet.network': networks.map(({ id, name }) => [id, name] as const),
      key_id: keys
        .filter(({ revoked_at }) => revoked_at === null)
        .map(({ id, label }) => [id, label || id] as const),
    };
    return html`${backTo(desk)}<p>${sentenceOf(answer.settlement?.says ?? 'There is no rule.')}</p>${proposing(desk, 'settlement.set', { seen, values, options, isUsual: true })}`;
  },
};
