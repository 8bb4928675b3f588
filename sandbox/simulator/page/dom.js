export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Redraws only if the data changed, so that focus and open details stay. */
export function showWhenChanged(where, data, make) {
  const text = JSON.stringify(data);
  if (where.dataset.shown === text) return;
  where.dataset.shown = text;
  where.replaceChildren(...make());
}

/** Returns an answer's status and JSON. Rejects only without an answer. */
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
