export const callbacks = {
  must_be_address: 'must be an absolute http(s) address',
  must_be_address_or_null: 'must be an absolute http(s) address, or null to remove it',
  must_have_at_most_characters: 'must have at most {maximum} characters',
  must_not_have_spaces: 'must not contain spaces, control characters or backslashes',
  must_not_have_password: 'must not contain a user name or password',
  must_begin_with_https: 'must begin with https://',
  must_use_ports: 'must use one of the ports {ports}',
  must_be_public: 'must lead to a public internet address',
  must_have_characters: 'must have {minimum} to {maximum} characters',
  must_have_bytes: 'must have at least {minimum} bytes in base64 after whsec_',
  must_have_padding: 'must have base64 with its padding after whsec_, or begin with something else',
  event_too_old: 'The event is older than {days} days and is not sent again. Look its transaction up instead',
  no_callback_url: 'No callback URL is set for this API key: set one with PUT callbacks/settings first',
  is_not_set: 'is not set for this API key',
  callback_url_disabled:
    'The callback URL is disabled ({reason}): set it again with PUT callbacks/settings first',
  is_disabled: 'is disabled: {reason}',
} as const;
