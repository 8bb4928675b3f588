import { escapeHtml } from '../guides.ts';
import { exampleOf, type Located, ownParametersOf } from './document.ts';

/** The page holds the key, not a script, because another site could load our script and read it. */
export function keyField(demoKey: string | null): string {
  return `<p class="key" hidden><label for="send-key">Your test key, to send requests from this page; nothing stores it</label>
<input id="send-key" autocomplete="off" spellcheck="false" placeholder="sk_test_…" value="${escapeHtml(demoKey ?? '')}"></p>`;
}

/** Used with test keys only, because with a live key one click would move money. */
export function sendForm(operation: Located): string {
  const { operationId, method, path, requestBody } = operation;
  const body = exampleOf(requestBody?.content);
  const fields = ownParametersOf(operation).map(({ name, in: place, required, schema }) => {
    const isDay = place === 'query' && required && schema.example !== undefined;
    const value = isDay ? ` value="${escapeHtml(String(schema.example))}"` : '';
    return `<label for="send-${operationId}-${name}">${name}</label>
<input id="send-${operationId}-${name}" name="${name}" data-in="${place}"${value}${required ? ' required' : ''} autocomplete="off" spellcheck="false">`;
  });
  const sent =
    body === undefined
      ? ''
      : `<label for="send-${operationId}-body">Body</label>
<textarea id="send-${operationId}-body" name="body" data-in="body" rows="8" spellcheck="false">${escapeHtml(JSON.stringify(body, null, 2))}</textarea>`;
  return `<details class="send" hidden>
<summary>Send</summary>
<form data-method="${method.toUpperCase()}" data-path="${path}">
${[...fields, sent].filter(Boolean).join('\n')}
<button>Send</button>
<output for="send-${operationId}-body" aria-live="polite"></output>
</form>
</details>
`;
}
