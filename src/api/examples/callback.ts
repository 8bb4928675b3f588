/** Examples of the OpenAPI document about callbacks. A test holds each against its schema. */

const settings = {
  success: true,
  message: 'Callback settings saved',
  callback_url: 'https://shop.example/callbacks',
  passphrase_set: true,
  enabled: true,
  disabled_reason: null,
  updated_at: '2026-11-20T08:15:30.123456Z',
};

export const settingsBodies = {
  address_and_passphrase: {
    callback_url: 'https://shop.example/callbacks',
    passphrase: 'correct horse battery staple',
  },
  without_signatures: { passphrase: null },
};

export const savedSettings = { saved: settings };

export const settingsAnswers = {
  set: { ...settings, message: 'Callback settings retrieved successfully' },
};
