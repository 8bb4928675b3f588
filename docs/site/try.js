// Swagger UI with the document, made ready to be tried: creations get a fresh Idempotency-Key each time, what may be left
// out begins empty, and what was created stands in the addresses that take its id.

const page = document.getElementById('reference');
const reference = await (await fetch('/openapi.json')).json();
const METHODS = ['get', 'post', 'put'];

const operations = Object.entries(reference.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })),
);
const isKey = ({ name }) => name === 'Idempotency-Key';

/** Also where the page does not come over HTTPS, and the browser has no randomUUID. */
const freshKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function prepare() {
  // The viewer shows no webhook that is a reference.
  reference.webhooks = reference.components.pathItems;
  for (const { path, method } of operations) {
    const operation = reference.paths[path][method];
    // Headers that every request and every answer may have are described once, at the top.
    operation.parameters = operation.parameters.filter(
      ({ in: place, required }) => place !== 'header' || required,
    );
    for (const parameter of operation.parameters) {
      if (isKey(parameter)) parameter.example = freshKey();
      else if (!parameter.required) beginEmpty(parameter);
    }
    for (const response of Object.values(operation.responses)) {
      delete response.headers;
      delete response.links;
    }
  }
  const { examples } = reference.paths['/payments/billpay'].post.requestBody.content['application/json'];
  for (const { value } of Object.values(examples)) value.payment_number += `-${freshKey().slice(0, 6)}`;
}

function beginEmpty(parameter) {
  delete parameter.example;
  delete parameter.schema.example;
  // The viewer would make up an item.
  if (parameter.schema.type === 'object') parameter.schema = { type: 'object', default: {} };
}

/** After an answer: another key for the next creation, and the new id where one can be asked for. */
function afterAnswer(system, path, method, answer) {
  const operation = reference.paths[path][method];
  if (operation.parameters.some(isKey)) fill(system, [path, method], 'Idempotency-Key', freshKey());
  const id = method === 'post' && answer.ok && !path.includes('{') && transactionIdOf(answer);
  if (!id) return;
  const noun = path.split('/')[1];
  for (const other of operations) {
    const takesIt = other.path.startsWith(`/${noun}/`) || other.path.startsWith('/transactions/');
    if (takesIt && other.path.includes('{id}')) fill(system, [other.path, other.method], 'id', id);
  }
}

/** The viewer keeps what is typed under the parameter itself, as it was when the operation was opened. */
function fill({ specActions, specSelectors }, operation, name, value) {
  const parameters = specSelectors
    .specJsonWithResolvedSubtrees()
    .getIn(['paths', ...operation, 'parameters']);
  const parameter = parameters.find((candidate) => candidate.get('name') === name);
  specActions.changeParamByIdentity(operation, parameter, value, false);
}

function transactionIdOf(answer) {
  try {
    return JSON.parse(answer.text).transaction_id;
  } catch {
    return undefined;
  }
}

/** A refusal is its status and its codes: the body of all of them is shown once, under “Requests, errors and retries”. */
const shortRefusals = () => ({
  wrapComponents: {
    response:
      (Original, { React }) =>
      (props) => {
        if (!(Number(props.code) >= 400)) return React.createElement(Original, props);
        const make = React.createElement;
        const codes = props.response.get('description');
        return make(
          'tr',
          { className: 'response refusal', 'data-code': props.code },
          make('td', { className: 'response-col_status' }, props.code),
          make('td', { className: 'response-col_description' }, make('a', { href: '/docs/errors' }, codes)),
        );
      },
  },
  statePlugins: {
    spec: {
      wrapActions: {
        setResponse: (original, system) => (path, method, answer) => {
          const result = original(path, method, answer);
          afterAnswer(system, path, method, answer);
          return result;
        },
      },
    },
  },
});

prepare();
const ui = SwaggerUIBundle({
  spec: reference,
  domNode: page,
  validatorUrl: null,
  deepLinking: true,
  supportedSubmitMethods: page.dataset.tryItOut === 'true' ? METHODS : [],
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  plugins: [shortRefusals],
  onComplete: () => {
    if (page.dataset.demoKey) ui.preauthorizeApiKey('apiKey', page.dataset.demoKey);
  },
});
