import { createHash } from 'node:crypto';
import { operationsOf, services, summaryOf, templateOf } from '#serve/api';

const style = `
:root { color-scheme: light dark; font: 15px/1.5 Inter, system-ui, sans-serif }
body { max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.5rem } dt { margin-top: 1rem; overflow-wrap: anywhere } dd { margin: .2rem 0 0 1rem }
code, b { font-family: ui-monospace, monospace } small { opacity: .8 }
`;

const hash = createHash('sha256').update(style).digest('base64');

/** Nothing but its own style, by its hash: no script, no frame, nothing from elsewhere. */
export const apiPagePolicy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const escaped = (text: string): string => text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** compat server §2.9: every method of the API on one page that needs no script. */
export function apiPage(): string {
  const operations = operationsOf(services);
  const sections = Object.keys(services).map((service) => {
    const rows = operations
      .filter((one) => one.service === service)
      .map(({ endpoint }) => {
        const path = escaped(templateOf(endpoint.path));
        const query = Object.entries(endpoint.query)
          .map(([name, text]) => `<dd><small><code>?${escaped(name)}</code> ${escaped(text)}</small></dd>`)
          .join('');
        return `<dt><b>${endpoint.method}</b> <code>${path}</code></dt><dd>${escaped(summaryOf(endpoint))}</dd>${query}`;
      });
    return `<h2 id="${service}">${service}</h2><dl>${rows.join('')}</dl>`;
  });
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Fairlead API</title><style>${style}</style>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body><h1>Fairlead API</h1><p>The same as an OpenAPI document: <a href="swagger.json">swagger.json</a></p>${sections.join('')}</body></html>`;
}
