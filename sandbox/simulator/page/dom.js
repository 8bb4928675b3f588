export const byId = (id) => document.getElementById(id);

/** An element with its attributes (`on…` are listeners) and its children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Shows what `make` makes of the data, and touches nothing while they are the same: a focus or an open detail stays. */
export function showWhenChanged(where, data, make) {
  const text = JSON.stringify(data);
  if (where.dataset.shown === text) return;
  where.dataset.shown = text;
  where.replaceChildren(...make());
}

/** The status and the JSON of an answer. Rejects only when nobody answers. */
export async function call(path, options = {}) {
  const { body, language } = options;
  const answer = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(language === undefined ? {} : { 'accept-language': language }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { ok: answer.ok, status: answer.status, json: await answer.json().catch(() => ({})) };
}
