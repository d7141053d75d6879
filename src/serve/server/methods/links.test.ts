import { expect, test } from 'vitest';
import { evaluateLinks } from './links.ts';

const app = {
  metadata: { name: 'web', annotations: { page: 'https://wiki.example/web', evil: 'javascript:alert(1)' } },
  spec: { project: 'shop', destination: { namespace: 'live' } },
};
const objects = { app, application: app, cluster: { name: 'prod' } };

const evaluated = (url: string, condition?: string) => {
  const problems: string[] = [];
  const link = { title: 'Link', url, ...(condition !== undefined && { if: condition }) };
  const { items } = evaluateLinks([link], objects, (_title, problem) => problems.push(problem));
  return items[0]?.url ?? problems[0] ?? 'left out';
};

test.each([
  [
    'https://logs.example/?ns={{.app.spec.destination.namespace}}',
    undefined,
    'https://logs.example/?ns=live',
  ],
  ['https://x.example/{{ .application.metadata.name | upper }}', undefined, 'https://x.example/WEB'],
  ['{{ index .app.metadata.annotations "page" }}', undefined, 'https://wiki.example/web'],
  ['https://x.example', 'app.spec.project == "shop"', 'https://x.example'],
  ['https://x.example', 'cluster.name startsWith "dev"', 'left out'],
  ['mailto:team@example.com', 'true', 'mailto:team@example.com'],
])('%s if %s: %s', (url, condition, expected) => {
  expect(evaluated(url, condition)).toBe(expected);
});

test.each([
  ['{{ index .app.metadata.annotations "evil" }}', undefined, /leads to javascript:/],
  [' JavaScript:alert(1)', undefined, /leads to javascript:/],
  ['data:text/html,x', undefined, /leads to data:/],
  ['/relative', undefined, /not a URL/],
  ['https://x.example/{{', undefined, /unclosed action|unexpected/],
  ['https://x.example', '1 + 1', /non-boolean/],
  ['https://x.example', 'app.', /./],
])('%s if %s is left out, with the reason', (url, condition, problem) => {
  expect(evaluated(url, condition)).toMatch(problem);
});

test('one link that cannot be evaluated does not take the others away', () => {
  const links = [
    { title: 'broken', url: 'https://x.example/{{' },
    { title: 'fine', url: 'https://x.example', description: 'd', iconClass: 'fa-x' },
  ];
  const { items } = evaluateLinks(links, objects, () => {});
  expect(items).toEqual([{ title: 'fine', url: 'https://x.example', description: 'd', iconClass: 'fa-x' }]);
});
