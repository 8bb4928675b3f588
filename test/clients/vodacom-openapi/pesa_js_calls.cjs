// @openpesa/pesa-js 0.0.11, unmodified. Only its collection works: its other calls go to wrong addresses.
const { createRequire } = require('node:module');

const [folder, port, apiKey, publicKey] = process.argv.slice(2);
const { Pesa } = createRequire(`${folder}/`)('@openpesa/pesa-js');

async function main() {
  const client = new Pesa({ api_key: apiKey, public_key: publicKey }, 'sandbox');
  client.baseURL = `http://127.0.0.1:${port}/sandbox/`;
  const body = await client.c2b({
    input_Amount: 1700,
    input_Country: 'TZN',
    input_Currency: 'TZS',
    input_CustomerMSISDN: '000000000001',
    input_ServiceProviderCode: '000000',
    input_ThirdPartyConversationID: '0198c0de000070008000000000000009',
    input_TransactionReference: 'T1234E',
    input_PurchasedItemsDesc: 'Handbag',
  });
  console.log(JSON.stringify({ call: 'collect', status: null, body }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
