// Calls of Selcom's own JavaScript client, unmodified. Prints one JSON line per call: {"name", "answer"}.
const { createRequire } = require('node:module');

const [folder, baseUrl, apiKey, apiSecret, calls] = process.argv.slice(2);
const { apigwCLient } = createRequire(`${folder}/`)('selcom-apigw-client');
const client = new apigwCLient(baseUrl, apiKey, apiSecret);

async function main() {
  for (const { name, method, path, fields } of JSON.parse(calls)) {
    const answer = await (method === 'POST'
      ? client.postFunc(path, fields)
      : client.getFunc(path, fields)
    ).catch((error) => ({ error: String(error) }));
    console.log(JSON.stringify({ name, answer }));
  }
}
void main();
