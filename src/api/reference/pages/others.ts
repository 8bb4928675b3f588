import { type MerchantErrorCode, merchantHttpStatusOf } from '../../../domain/errors.ts';
import { failureCodes, failureReasonOf } from '../../../domain/failure.ts';
import { inEnglish } from '../../../domain/messages.ts';
import { codeHtml, escapeHtml, guideHtml, inlineHtml, markdownHtml } from '../guides.ts';
import { type OpenApi, operationsOf, refusalsOf } from './document.ts';
import { requestExamplesOf } from './request-examples.ts';

export function firstPage(document: OpenApi, demoKey: string | null): string {
  const push = operationsOf(document).find(({ operationId }) => operationId === 'initiateUssdPush');
  const key = demoKey ?? '<API_KEY>';
  const examples = push ? requestExamplesOf(push) : [];
  const resources = document.tags.map(
    ({ name, description }) =>
      `<li><a href="/docs/reference/${name}">${name}</a> ${inlineHtml(description)}</li>`,
  );
  return `<article>
<h1 id="top">Malipo API</h1>
<dl class="facts">
<div><dt>Address</dt><dd><code><span class="origin"></span>/api/v1</code></dd></div>
<div><dt>Key</dt><dd><code>${escapeHtml(key)}</code></dd></div>
</dl>
<h2 id="first-request">First request</h2>
<p>Ask a customer’s phone for 5,000 shillings:</p>
<pre data-language="sh"><code tabindex="0">export API_URL="<span class="origin"></span>/api/v1" API_KEY="${escapeHtml(key)}"</code></pre>
<div class="steps">
${examples.map(({ language, code }) => codeHtml(code, language)).join('')}</div>
<p>The answer has a <code>transaction_id</code>; <a href="/docs/reference/payments#getPayment">look it up</a>, or wait for the
<a href="/docs/callbacks">callback</a>. The <a href="/docs/quickstart">quickstart</a> goes on from here.</p>
<h2 id="resources">Resources</h2>
<ul>
${resources.join('\n')}
</ul>
<h2 id="common">What all requests have in common</h2>
${markdownHtml(document.info.description)}
<p>For machines: <a href="/openapi.json">openapi.json</a></p>
</article>`;
}

export function errorsPage(document: OpenApi, remedies: Record<string, string>): string {
  const operations = operationsOf(document);
  const sections = Object.entries(remedies).map(([code, remedy]) => {
    const answering = operations.filter((one) => refusalsOf(one).some((refusal) => refusal.code === code));
    const status = merchantHttpStatusOf[code as MerchantErrorCode];
    const links = answering.map(
      ({ operationId, tags }) => `<a href="/docs/reference/${tags?.[0]}#${operationId}">${operationId}</a>`,
    );
    return `<section id="${code}">
<h2><a class="anchor" href="#${code}"><code>${code}</code></a> <span class="type">${status}</span></h2>
<p class="example">${escapeHtml(document.components.examples[code]?.value.message ?? '')}</p>
<p><strong>What to do:</strong> ${inlineHtml(remedy)}.</p>
${links.length > 0 && links.length < operations.length ? `<p class="type">Answered by ${links.join(', ')}</p>` : ''}
</section>`;
  });
  return `<article>
<h1 id="top">Errors</h1>
<p>Every error has a <code>code</code> for your program, a <code>message</code> for you, and in <code>docs</code> its place on this page.</p>
${sections.join('\n')}
<h2 id="failures">Why a transaction failed</h2>
<p>A transaction that failed has a <code>failure_code</code> and its sentence, <code>failure_reason</code>.</p>
<dl class="facts">
${failureCodes.map((code) => `<div><dt><code>${code}</code></dt><dd>${escapeHtml(inEnglish(failureReasonOf(code)))}</dd></div>`).join('\n')}
</dl>
</article>`;
}

/** The browser makes the key and sends it nowhere. `digest`: SHA-256 of the client package, in hex. */
export function keyPage(prefix: 'sk_test' | 'sk_live', digest: string): string {
  return `<article>
<h1 id="top">Make a key</h1>
<p>Your browser makes the key: its text is sent nowhere and kept nowhere, and nobody can show it again. It opens nothing until two of the people who run this service let it in, by its fingerprint.</p>
<p><label for="of">For another secret of a key that you have, its id</label> <input id="of" type="text" autocomplete="off" spellcheck="false"></p>
<p><button id="make" type="button" data-prefix="${prefix}">Make a key</button></p>
<p id="problem" role="alert"></p>
<div id="made" aria-live="polite" hidden>
<h2 id="your-key">Your key, shown only now</h2>
<pre data-language="text"><code id="key-text" tabindex="0"></code></pre>
<p>Put it where your server reads its secrets, and close this page.</p>
<h2 id="their-part">For the people who run the service</h2>
<pre data-language="text"><code id="key-printed" tabindex="0"></code></pre>
<p>Send them this, what the key is for, and which scopes it needs. They compare the fingerprint with you, aloud.</p>
</div>
<h2 id="on-a-server">On a server</h2>
<p>Or make it where it will be used, with the client that this service serves. Compare the SHA-256 of the file first: <code id="client-digest">${digest}</code></p>
<pre data-language="sh"><code id="client-command" tabindex="0">npx --yes {api_url}/docs/malipo-client.tgz keys new${prefix === 'sk_test' ? ' --test' : ''}</code></pre>
<noscript>This page needs JavaScript; the command above does without.</noscript>
</article>`;
}

export function guidePage(name: string): string {
  return `<article>\n${guideHtml(name)}</article>`;
}
