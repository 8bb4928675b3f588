// Written by `npm run statements`: what each column takes. One with a `?` has a default, or is null without one.

export interface Tables {
  abandoned_submissions: {
    transaction_id: string;
    account_id: string;
    idempotency_key: string;
    operation: string;
    fingerprint: string;
    request_id: string;
    noticed_at?: string | Date;
    resolved_at?: string | Date | null;
  };
  account_fees: {
    version: string;
    account_id: string;
    rows: object | string;
    effective_from?: string | Date | null;
    replaces?: string | null;
    set_at?: string | Date;
  };
  accounts: {
    id: string;
    name: string;
    display_name?: string | null;
    created_at?: string | Date;
    batches_need_another?: boolean;
  };
  api_key_secrets: {
    key_id: string;
    hash: Uint8Array;
    hashed_with: string;
    created_at?: string | Date;
    retires_at?: string | Date | null;
  };
  api_keys: {
    id: string;
    account_id: string;
    label?: string;
    scopes: readonly (string | null)[];
    allowed_ips?: readonly (string | null)[];
    expires_at?: string | Date | null;
    revoked_at?: string | Date | null;
    created_at?: string | Date;
    last_used_at?: string | Date | null;
    callback_url?: string | null;
    callback_disabled_reason?: 'gone' | 'not_accepted' | null;
    callback_disabled_at?: string | Date | null;
    callback_failing_since?: string | Date | null;
    subscribed_events?: readonly (string | null)[];
    callback_updated_at?: string | Date;
    callback_url_operator_at?: string | Date | null;
    mac?: string | null;
    holder?: string | null;
  };
  approvals: {
    proposal_id: string;
    payload_hash: string;
    approved_by: string;
    token_id: string;
    approved_at: string | Date;
    mac: string;
  };
  attention: {
    transaction_id?: string | null;
    subject?: string | null;
    reason: string;
    thing?: string;
    detail?: string;
    raised_at?: string | Date;
    resolved_at?: string | Date | null;
  };
  audit_head: {
    only_row?: boolean;
    id: number;
    hash: Uint8Array;
  };
  audit_log: {
    id: number;
    at: string | Date;
    actor: string;
    address?: string | null;
    request_id?: string | null;
    action: string;
    subject: string;
    detail?: object | string;
    hash: Uint8Array;
  };
  batch_items: {
    batch_id: string;
    position: number;
    transaction_id: string;
    mode: 'bank' | 'mobile';
    channel: string;
    msisdn?: string | null;
    bic?: string | null;
    account_number?: string | null;
    full_name?: string | null;
    name_match?: boolean | null;
    amount: number;
    reference?: string | null;
    metadata?: string;
    cells?: readonly (string | null)[] | null;
    mac: string;
    begun_at?: string | Date | null;
  };
  batches: {
    id: string;
    account_id: string;
    api_key_id: string;
    batch_number: string;
    status?: 'cancelled' | 'draft' | 'finished' | 'paused' | 'running' | 'scheduled';
    status_reason?: object | string | null;
    items_hash: string;
    currency: string;
    items: number;
    amount: number;
    fees: number;
    fee_version: string;
    allow_twins: boolean;
    quiet: boolean;
    metadata?: string;
    columns?: readonly (string | null)[] | null;
    errors?: object | string;
    routes?: object | string;
    start_at?: string | Date | null;
    started_by?: string | null;
    started_at?: string | Date | null;
    mac?: string | null;
    held?: number;
    finished_at?: string | Date | null;
    paid?: number;
    failed?: number;
    cancelled?: number;
    rows_kept?: boolean;
    due_at?: string | Date;
    created_at?: string | Date;
    updated_at?: string | Date;
  };
  bill_receipts: {
    space: string;
    receipt: string;
    channel: string;
    transaction_id?: string | null;
    control_number: string;
    amount: number;
    currency: string;
    msisdn?: string | null;
    full_name?: string | null;
    connection: string;
    outcome: 'accepted' | 'refused' | 'suspended';
    reason?: string | null;
    number?: number | null;
    fee?: number;
    received_at?: string | Date;
    prompt_id?: string | null;
    signalled_at?: string | Date | null;
    mac?: string | null;
  };
  bills: {
    transaction_id: string;
    account_id: string;
    control_number: string;
    payment_number?: string | null;
    mode: 'exact' | 'flexible';
    description?: string | null;
    expires_at: string | Date;
    paid?: number;
    payments?: number;
    claimed_by?: readonly (string | null)[] | null;
    claimed_until?: string | Date | null;
  };
  callback_attempts: {
    event_id: string;
    event_at: string | Date;
    number: number;
    round?: number;
    sent_at: string | Date;
    alive_at?: string | Date | null;
    http_status?: number | null;
    error?: string | null;
    duration_ms?: number | null;
  };
  callback_events: {
    id: string;
    transaction_id?: string | null;
    api_key_id: string;
    account_id: string;
    event: string;
    sequence?: number | null;
    body: string;
    state?: 'delivered' | 'failed' | 'no_url' | 'pending';
    round?: number;
    next_attempt_at?: string | Date | null;
    swept_at?: string | Date | null;
    created_at?: string | Date;
    old_url?: string | null;
    old_passphrases?: readonly (Uint8Array | null)[] | null;
    mac?: string | null;
  };
  callback_passphrases: {
    key_id: string;
    ciphertext: Uint8Array;
    created_at?: string | Date;
    retires_at?: string | Date | null;
  };
  channel_breakers: {
    channel: string;
    service: 'payments' | 'payouts';
    down_since?: string | Date | null;
    recovered_at?: string | Date | null;
    probe_at?: string | Date;
    probe_of?: string | null;
    probes?: number;
  };
  channel_results: {
    slot: number;
    channel: string;
    service: 'payments' | 'payouts';
    process: string;
    answered: number;
    failed: number;
  };
  closed_days: {
    account: string;
    day: Date | string;
    lines: number;
    matched: number;
    booked: number;
    opening?: number | null;
    closing?: number | null;
    clearing: number;
    unbooked: number;
    unseen: number;
    together: string;
    closed_by: string;
    mac: string;
    closed_at?: string | Date;
    reopened_by?: string | null;
    reopened_at?: string | Date | null;
  };
  closures: {
    channel?: string | null;
    service: 'payments' | 'payouts';
    closed_by: string;
    reason: string;
    closed_at?: string | Date;
    opened_by?: string | null;
    mac?: string | null;
  };
  control_number_blocks: {
    first: number;
    account_id: string;
    prefix: string;
    next: number;
  };
  decisions: {
    transaction_id: string;
    outcome: 'failed' | 'paid';
    note: string;
    proposal_id: string;
    mac: string;
    decided_at?: string | Date;
    applied_at?: string | Date | null;
    answer?: 'confirmed' | 'contradicted' | 'none' | null;
    answered_at?: string | Date | null;
  };
  enquiries: {
    transaction_id: string;
    number: number;
    answer: string;
    first_at?: string | Date;
    last_at?: string | Date;
    times?: number;
  };
  entries: {
    id: number;
    transfer_id: string;
    ledger_account_id: number;
    amount: number;
    is_fee?: boolean;
    line?: number | null;
    balance?: number | null;
    at?: string | Date;
    movement_id?: string | null;
    takes_back?: boolean;
    undoes?: number | null;
  };
  failed_authentications: {
    key: string;
    points?: number;
    expire?: number | null;
  };
  fence: {
    only_row?: boolean;
    progress?: number;
    closed_at?: string | Date | null;
    reason?: string | null;
    lifted_at?: string | Date | null;
    epoch?: number;
    timeline?: number;
    swept_at?: string | Date;
  };
  freezes: {
    account_id: string;
    api_key_id?: string | null;
    frozen_by: string;
    reason: string;
    frozen_at?: string | Date;
    lifted_by?: string | null;
    mac?: string | null;
  };
  hold_resolutions: {
    transaction_id: string;
    resolution: 'released' | 'taken';
    transfer_id: string;
  };
  holds: {
    transaction_id?: string | null;
    account_id: string;
    amount: number;
    transfer_id: string;
    batch_id?: string | null;
    carved_from?: string | null;
  };
  idempotency_keys: {
    account_id: string;
    key?: string | null;
    payment_number?: string | null;
    transaction_id: string;
    submission_id: string;
    operation: string;
    fingerprint: string;
    refused?: 'duplicate_suspected' | 'insufficient_balance' | 'limit_exceeded' | 'not_refundable' | 'refund_exceeds_payment' | 'submission_expired' | null;
    language?: 'en' | 'sw';
    answered_at?: string | Date;
    created_at?: string | Date;
  };
  ledger_accounts: {
    kind: 'available' | 'charges' | 'clearing' | 'fees' | 'gains' | 'held' | 'losses' | 'own' | 'payable' | 'settlement' | 'suspense';
    account_id?: string | null;
    channel?: string | null;
    currency: string;
    balance?: number | null;
    lines?: number | null;
    moved_at?: string | Date | null;
  };
  ledger_checkpoints: {
    entry: number;
    at: string | Date;
    sums: object | string;
    checked_at?: string | Date;
  };
  ledger_sums: {
    ledger_account_id: number;
    amount: number;
  };
  ledger_sums_head: {
    only_row?: boolean;
    counted?: number;
    until?: number;
    until_xid?: string;
  };
  limits: {
    account_id: string;
    api_key_id?: string | null;
    payout_max?: number | null;
    payout_daily_max?: number | null;
    payouts_per_day?: number | null;
    recipient_daily_max?: number | null;
    new_recipient_cooloff_s?: number | null;
    duplicate_window_s?: number | null;
    set_at: string | Date;
    mac: string;
  };
  line_dismissals: {
    line_id: number;
    proposal_id: string;
  };
  line_matches: {
    entry_id: number;
    line_id: number;
    pass: string;
    matched_at?: string | Date;
    is_freed?: boolean;
  };
  movement_names: {
    movement_id: string;
    space: string;
    direction: string;
    name: string;
    is_receipt: boolean;
    line_id?: number | null;
    freed_at?: string | Date | null;
    told_at?: string | Date;
  };
  movements: {
    id: string;
    ledger_account_id: number;
    space: string;
    connection?: string | null;
    kind: 'charge' | 'itself' | 'opening' | 'reversal';
    amount: number;
    currency: string;
    account?: string | null;
    at?: string | Date | null;
    transaction_id?: string | null;
    part?: number | null;
    told_by: 'channel' | 'door' | 'line' | 'people';
    gives_back?: string | null;
    created_at?: string | Date;
  };
  notification_bodies: {
    notification_id: number;
    received_at: string | Date;
    raw: Uint8Array;
  };
  notifications: {
    channel: string;
    event_key: string;
    transaction_id: string;
    content: object | string;
    state: 'applied' | 'contradicting' | 'ignored' | 'unapplied';
    received_at?: string | Date;
    mac?: string | null;
  };
  numbers: {
    id: string;
    account_id: string;
    api_key_id: string;
    control_number: string;
    customer_reference: string;
    purpose: 'collect' | 'link' | 'top_up';
    currency: string;
    description?: string | null;
    minimum?: number | null;
    maximum?: number | null;
    metadata?: string;
    payers?: object | string | null;
    quantity?: 'many' | 'once' | null;
    expires_at?: string | Date | null;
    status?: 'closed' | 'open';
    created_at: string | Date;
  };
  operator_sessions: {
    id: string;
    hash: Uint8Array;
    token_id: string;
    address: string;
    created_at?: string | Date;
    last_seen_at?: string | Date;
    ended_at?: string | Date | null;
    mac?: string | null;
  };
  operator_tokens: {
    id: string;
    operator: string;
    hash: Uint8Array;
    hashed_with: string;
    issued_by: string;
    created_at?: string | Date;
    expires_at: string | Date;
    revoked_at?: string | Date | null;
    last_used_at?: string | Date | null;
    mac?: string | null;
  };
  operators: {
    name: string;
    email: string;
    roles: readonly (string | null)[];
    created_at?: string | Date;
    disabled_at?: string | Date | null;
    version?: number;
    mac?: string | null;
  };
  owed_results: {
    id: string;
    connection: string;
    channel: string;
    receipt: string;
    reply: string;
    transaction_id?: string | null;
    request: object | string;
    owed_since?: string | Date;
    swept_at?: string | Date | null;
  };
  payout_days: {
    account_id: string;
    api_key_id?: string | null;
    day: Date | string;
    value: number;
    payouts: number;
  };
  payout_recipients: {
    account_id: string;
    recipient: string;
    known_since: string | Date;
    day: Date | string;
    value: number;
  };
  previews: {
    id: string;
    account_id: string;
    operation: string;
    network: string;
    recipient: string;
    amount: number;
    fee: number;
    fee_version: string;
    full_name?: string | null;
    expires_at: string | Date;
    used_by?: string | null;
    created_at?: string | Date;
  };
  proposals: {
    id: string;
    action: string;
    payload: string;
    payload_hash: string;
    reason: string;
    proposed_by: string;
    proposed_at?: string | Date;
    expires_at: string | Date;
    state?: 'approved' | 'executed' | 'failed' | 'proposed' | 'rejected';
    decided_by?: string | null;
    decided_at?: string | Date | null;
    outcome?: string | null;
    alone?: boolean;
    mac?: string | null;
  };
  rate_limit_buckets: {
    key_id: string;
    full_at: string | Date;
    granted: number;
  };
  receipt_spaces: {
    connection: string;
    space: string;
    noted_at?: string | Date;
  };
  retention: {
    name: string;
    kept_days: number;
    step?: 'day' | 'month' | null;
  };
  schema_migrations: {
    name: string;
    checksum: string;
    applied_at?: string | Date;
  };
  sends: {
    transaction_id: string;
    number: number;
    handed_over_at?: string | Date;
    outcome?: 'accepted' | 'failed' | 'not_found' | 'not_sent' | 'succeeded' | 'unknown' | null;
  };
  settlement_rules: {
    version: string;
    account_id: string;
    api_key_id: string;
    channel: string;
    msisdn?: string | null;
    bic?: string | null;
    account_number?: string | null;
    full_name?: string | null;
    days: readonly (number | null)[];
    currency: string;
    keep: number;
    smallest: number;
    cap: number;
    pays_from: string | Date;
    replaces?: string | null;
    mac: string;
    set_at?: string | Date;
  };
  statement_lines: {
    statement_id: string;
    account: string;
    no: number;
    position: number;
    key: Uint8Array;
    receipt?: string | null;
    also_known_as?: readonly (string | null)[];
    kind: 'adjustment' | 'fee' | 'funding' | 'opening' | 'payment' | 'payout' | 'return' | 'reversal' | 'sweep' | 'tax' | 'unknown';
    status: 'done' | 'failed' | 'pending';
    amount: number;
    currency: string;
    at: string | Date;
    day: Date | string;
    late_for?: Date | string | null;
    reference?: string | null;
    names: readonly (string | null)[];
    sweep_to?: string | null;
    balance_after?: number | null;
    running?: number | null;
    finding?: 'changed' | 'twice' | null;
    sealed?: Uint8Array | null;
    waits?: boolean;
    is_void?: boolean;
  };
  statements: {
    id: string;
    account: string;
    sha256: Uint8Array;
    from_at: string | Date;
    to_at: string | Date;
    currency: string;
    opening?: number | null;
    closing?: number | null;
    is_first: boolean;
    outcome: object | string;
    data_key: Uint8Array;
    raw?: Uint8Array | null;
    imported_by: string;
    imported_at?: string | Date;
    voided_by?: string | null;
    voided_at?: string | Date | null;
  };
  stored_answers: {
    submission_id: string;
    answered_at: string | Date;
    body: string;
  };
  suspense_items: {
    id?: string;
    channel: string;
    space: string;
    receipt: string;
    transaction_id?: string | null;
    amount: number;
    currency: string;
    detail: string;
    transfer_id?: string | null;
    named_by?: string | null;
    left_by?: string | null;
    is_void?: boolean;
    created_at?: string | Date;
  };
  transactions: {
    id: string;
    account_id?: string | null;
    api_key_id?: string | null;
    submission_id: string;
    type: string;
    mode: string;
    status?: string;
    event: string;
    amount: number;
    currency: string;
    fee: number;
    fee_version: string;
    settled?: number | null;
    channel: string;
    connection?: string | null;
    reference: string;
    channel_reference?: string | null;
    is_receipt?: boolean;
    msisdn?: string | null;
    full_name?: string | null;
    bic?: string | null;
    account_number?: string | null;
    mac?: string | null;
    metadata?: string;
    request_id?: string | null;
    failure_code?: string | null;
    refund_of?: string | null;
    refund_payment?: number | null;
    refund_reason?: string | null;
    suspense_item?: string | null;
    timing: object | string;
    handed_over_at?: string | Date | null;
    prompt_expires_at?: string | Date | null;
    next_enquiry_at?: string | Date | null;
    waits_until?: string | Date | null;
    not_found_since?: string | Date | null;
    hinted_at?: string | Date | null;
    due_at?: string | Date;
    overdue_at?: string | Date;
    paid_at?: string | Date | null;
    returned_at?: string | Date | null;
    return_reason?: string | null;
    created_at?: string | Date;
    updated_at?: string | Date;
    status_at?: string | Date;
    number_id?: string | null;
    pays?: string | null;
    batch_id?: string | null;
  };
  transfers: {
    id?: string;
    kind: 'charge' | 'collection' | 'correction' | 'hold' | 'own' | 'payback' | 'payback_failed' | 'payback_paid' | 'payout' | 'release' | 'reversal' | 'suspense' | 'suspense_release' | 'suspense_return' | 'sweep' | 'top_up' | 'void' | 'withdrawal' | 'write_off';
    transaction_id?: string | null;
    dedupe_key: string;
    reference?: string | null;
    note?: string | null;
    created_at?: string | Date;
    proposal_id?: string | null;
    line_id?: number | null;
  };
  uses: {
    account_id: string;
    use: string;
    since: string | Date;
    uses: number;
  };
}

/** What Postgres makes itself: identities, and columns that are made of others. */
export interface Made {
  abandoned_submissions: Record<never, never>;
  account_fees: Record<never, never>;
  accounts: Record<never, never>;
  api_key_secrets: {
    id: number;
  };
  api_keys: Record<never, never>;
  approvals: Record<never, never>;
  attention: {
    id: number;
  };
  audit_head: Record<never, never>;
  audit_log: Record<never, never>;
  batch_items: {
    recipient?: string;
  };
  batches: Record<never, never>;
  bill_receipts: Record<never, never>;
  bills: Record<never, never>;
  callback_attempts: Record<never, never>;
  callback_events: Record<never, never>;
  callback_passphrases: {
    id: number;
  };
  channel_breakers: Record<never, never>;
  channel_results: Record<never, never>;
  closed_days: {
    id: number;
  };
  closures: Record<never, never>;
  control_number_blocks: Record<never, never>;
  decisions: Record<never, never>;
  enquiries: Record<never, never>;
  entries: Record<never, never>;
  failed_authentications: Record<never, never>;
  fence: Record<never, never>;
  freezes: Record<never, never>;
  hold_resolutions: Record<never, never>;
  holds: Record<never, never>;
  idempotency_keys: Record<never, never>;
  ledger_accounts: {
    id: number;
    code?: string;
  };
  ledger_checkpoints: {
    id: number;
  };
  ledger_sums: Record<never, never>;
  ledger_sums_head: Record<never, never>;
  limits: Record<never, never>;
  line_dismissals: Record<never, never>;
  line_matches: Record<never, never>;
  movement_names: {
    id: number;
    plain?: string;
  };
  movements: {
    direction?: string;
  };
  notification_bodies: Record<never, never>;
  notifications: {
    id: number;
  };
  numbers: Record<never, never>;
  operator_sessions: Record<never, never>;
  operator_tokens: Record<never, never>;
  operators: Record<never, never>;
  owed_results: Record<never, never>;
  payout_days: Record<never, never>;
  payout_recipients: Record<never, never>;
  previews: Record<never, never>;
  proposals: Record<never, never>;
  rate_limit_buckets: Record<never, never>;
  receipt_spaces: Record<never, never>;
  retention: Record<never, never>;
  schema_migrations: Record<never, never>;
  sends: Record<never, never>;
  settlement_rules: Record<never, never>;
  statement_lines: {
    id: number;
  };
  statements: Record<never, never>;
  stored_answers: Record<never, never>;
  suspense_items: {
    is_open?: boolean | null;
  };
  transactions: {
    metadata_hashes?: readonly (number | null)[] | null;
  };
  transfers: Record<never, never>;
  uses: Record<never, never>;
}
