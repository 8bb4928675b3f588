import { startersOf } from '../domain/batch.ts';
import { type AnyView, view, viewCommandOf } from './view.ts';

/** A new view needs a row here and a page at the desk. */
export const views = {
  account: view({
    call: 'getAccount',
    command: 'accounts show <id>',
    fields: [
      { head: 'Merchant', of: 'account.name' },
      { head: 'Available', of: 'balance.available', as: 'amount', in: 'balance.currency' },
      { head: 'Held for payouts', of: 'balance.held', as: 'amount', in: 'balance.currency' },
      { head: 'Since', of: 'account.created_at', as: 'time' },
      { head: 'Frozen since', of: 'account.frozen_at', as: 'time', none: 'not frozen' },
      {
        head: 'Batches are started by',
        of: 'batches_need_another',
        yes: startersOf(true),
        none: startersOf(false),
      },
      { head: 'Settlement', of: 'settlement.says', as: 'sentence', none: 'no rule' },
      { head: 'Id', of: 'account.id' },
    ],
  }),
  limits: view({
    call: 'getLimits',
    command: 'limits show <id>',
    filters: [{ name: 'key_id', label: 'Limits of this key' }],
    none: 'no limit',
    fields: [
      { head: 'One payout is at most', of: 'limits.payout_max', as: 'minor', in: 'currency' },
      {
        head: 'All payouts of a day are at most',
        of: 'limits.payout_daily_max',
        as: 'minor',
        in: 'currency',
      },
      { head: 'Payouts of a day', of: 'limits.payouts_per_day', as: 'number' },
      {
        head: 'One recipient gets a day at most',
        of: 'limits.recipient_daily_max',
        as: 'minor',
        in: 'currency',
      },
      {
        head: 'New recipients wait for the first payout',
        of: 'limits.new_recipient_cooloff_s',
        as: 'seconds',
      },
      { head: 'The same payout again is refused for', of: 'limits.duplicate_window_s', as: 'seconds' },
    ],
  }),
  suspenseItem: view({
    call: 'getSuspenseItem',
    command: 'suspense show <id>',
    fields: [
      { head: 'Amount', of: 'item.amount', as: 'amount', in: 'item.currency' },
      { head: 'What it is', of: 'item.detail', as: 'sentence' },
      { head: 'Network', of: 'item.channel' },
      { head: 'Receipt', of: 'item.receipt' },
      { head: "Network's receipt", of: 'item.known_as' },
      { head: 'In suspense since', of: 'item.created_at', as: 'time' },
      { head: 'Age', of: 'item.age_days', as: 'days' },
      { head: 'Transaction', of: 'item.transaction_id', to: '/desk/transactions/{item.transaction_id}' },
      { head: 'Merchant', of: 'merchant', to: '/desk/merchants/{item.account_id}' },
      { head: 'Bill or number', of: 'pays.control_number', to: '/desk?q={pays.control_number}' },
      { head: 'Why it cannot take it', of: 'pays.refused' },
      { head: 'How it left', of: 'item.release.kind', as: 'words', none: 'it is open' },
      { head: 'When it left', of: 'item.release.at', as: 'time' },
      { head: 'Proposed by', of: 'item.release.proposed_by' },
      { head: 'Approved by', of: 'item.release.approved_by' },
      { head: 'Proposal', of: 'item.release.proposal_id', to: '/desk/proposals/{item.release.proposal_id}' },
      { head: 'Why', of: 'item.release.note' },
      { head: 'Item', of: 'item.id' },
    ],
    sections: [
      {
        title: 'Paid back',
        of: 'item.paybacks',
        columns: [
          { head: 'Payback', of: 'transaction_id', to: '/desk/transactions/{transaction_id}' },
          { head: 'State', of: 'status' },
          { head: 'When', of: 'at', as: 'time' },
          { head: 'Failure', of: 'failure_code', as: 'words' },
        ],
      },
    ],
  }),
  line: view({
    call: 'getLine',
    command: 'lines show <id>',
    fields: [
      { head: 'Amount', of: 'line.amount_minor', as: 'minor', in: 'line.currency' },
      { head: 'Amount to decide', of: 'line.item_amount_minor', as: 'minor', in: 'line.currency' },
      { head: 'Account', of: 'line.account', to: '/desk/lines?account={line.account}' },
      { head: 'Day', of: 'line.day' },
      { head: 'Age', of: 'line.age_days', as: 'days' },
      { head: 'State', of: 'line.state' },
      { head: 'Class', of: 'line.class', as: 'words' },
      { head: 'What it is', of: 'line.kind', as: 'words' },
      { head: 'Receipt', of: 'line.receipt', to: '/desk?q={line.receipt}', may: 'find' },
      { head: 'Reference', of: 'line.reference', to: '/desk?q={line.reference}', may: 'find' },
      { head: 'Their time', of: 'written.at', as: 'time' },
      { head: 'Their text', of: 'written.text' },
      { head: 'Original line', of: 'written.raw' },
      { head: 'In suspense', of: 'line.item', to: '/desk/suspense/{line.item}' },
      { head: 'Statement', of: 'line.statement', none: 'none shows it: it is our own movement' },
      { head: 'It may be', of: 'suggestions', not: ['page'] },
      { head: 'Id', of: 'line.id' },
    ],
    sections: [
      {
        title: 'What may be its other half',
        of: 'halves',
        columns: [
          { head: 'Line', of: 'id', to: '/desk/lines/{id}' },
          { head: 'Account', of: 'account' },
          { head: 'Day', of: 'day' },
          { head: 'Amount', of: 'amount_minor', as: 'minor', in: 'currency' },
        ],
      },
    ],
  }),
  proposal: view({
    call: 'getProposal',
    command: 'proposals show <id>',
    fields: [
      { head: 'What is proposed', of: 'proposal.summary', as: 'sentence' },
      { head: 'State', of: 'proposal.state' },
      { head: 'Why', of: 'proposal.reason' },
      { head: 'Proposed by', of: 'proposal.proposed_by' },
      { head: 'When', of: 'proposal.proposed_at', as: 'time' },
      { head: 'Deadline to approve', of: 'proposal.expires_at', as: 'time' },
      { head: 'Decided by', of: 'proposal.decided_by' },
      { head: 'Decided at', of: 'proposal.decided_at', as: 'time' },
      { head: 'Result', of: 'proposal.outcome', as: 'sentence' },
      { head: 'Action', of: 'proposal.action' },
      { head: 'Hash of the payload', of: 'proposal.payload_hash' },
      { head: 'Proposal', of: 'proposal.id' },
    ],
    sections: [
      {
        title: 'What changes',
        of: 'proposal.facts',
        columns: [
          { head: 'What', of: 'name' },
          { head: 'Now', of: 'before', as: 'sentence' },
          { head: 'Then', of: 'after', as: 'sentence' },
        ],
      },
    ],
  }),
  operator: view({
    call: 'getOperator',
    command: 'operators show <id>',
    fields: [
      { head: 'Name', of: 'name' },
      { head: 'E-mail', of: 'email' },
      { head: 'Roles', of: 'roles', none: 'none yet' },
      { head: 'Since', of: 'created_at', as: 'time' },
      { head: 'Disabled', of: 'disabled_at', as: 'time' },
    ],
    sections: [
      {
        title: 'Tokens',
        of: 'tokens',
        columns: [
          { head: 'Token', of: 'id' },
          { head: 'Valid until', of: 'expires_at', as: 'time' },
          { head: 'Last used', of: 'last_used_at', as: 'time', none: 'never' },
          { head: 'Activated by', of: 'issued_by' },
        ],
      },
      {
        title: 'Sessions at the desk',
        of: 'sessions',
        columns: [
          { head: 'Session', of: 'id' },
          { head: 'Token', of: 'token_id' },
          { head: 'IP address', of: 'address' },
          { head: 'Since', of: 'created_at', as: 'time' },
          { head: 'Last seen', of: 'last_seen_at', as: 'time' },
        ],
      },
    ],
  }),
} as const;

/** `npm run openapi` writes these for the command line. */
export const viewCommands = () => Object.values<AnyView>(views).map(viewCommandOf);
