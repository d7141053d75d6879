import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from './fairlead.ts';
import { play, type RestCase } from './rest-cases.ts';
import { startTenants, type Tenants } from './tenants.ts';

// Projects through REST, as the peer's clients use them (server §2.8), on the started program.

let tenants: Tenants;
beforeAll(async () => {
  tenants = await startTenants();
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

const at = '/api/v1/projects';
const everything = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] };
const project = (name: string, spec: object, metadata: object = {}) => ({
  project: { metadata: { name, ...metadata }, spec },
});
const role = (...policies: string[]) => ({ roles: [{ name: 'dev', policies }] });

const twelveHoursFromNow = (new Date().getUTCHours() + 12) % 24;

const cases: RestCase[] = [
  {
    about: 'a reader lists all projects, sorted by name',
    as: 'reader',
    ask: `GET ${at}`,
    status: 200,
    answer: {
      items: [
        { metadata: { name: 'bank' } },
        { metadata: { name: 'default' } },
        { metadata: { name: 'shop' } },
      ],
    },
  },
  {
    about: 'a role lists its own project only',
    as: 'dev',
    ask: `GET ${at}`,
    status: 200,
    answer: { items: [{ metadata: { name: 'shop' } }] },
  },
  { about: 'the list is limited by name', ask: `GET ${at}?name=bank`, status: 200, answer: { items: [{}] } },
  {
    about: 'an absent project and a forbidden one are refused alike',
    as: 'dev',
    ask: `GET ${at}/absent`,
    status: 403,
    answer: 'permission denied: projects, get, absent, sub: proj:shop:dev',
  },
  {
    about: 'a caller who may get any project learns that one is absent',
    ask: `GET ${at}/absent`,
    status: 404,
    answer: 'appprojects.argoproj.io "absent" not found',
  },
  { about: 'a body without a project', ask: `POST ${at}`, body: {}, status: 400, answer: 'AppProject' },
  {
    about: 'a project without a name',
    ask: `POST ${at}`,
    body: project('', {}),
    status: 400,
    answer: 'name is missing',
  },
  {
    about: 'a list that is none',
    ask: `POST ${at}`,
    body: project('made', { destinations: 'all' }),
    status: 400,
    answer: 'spec.destinations',
  },
  {
    about: 'a policy that reaches beyond the project',
    ask: `POST ${at}`,
    body: project('made', role('p, proj:made:dev, applications, get, shop/*, allow')),
    status: 400,
    answer: 'error validating project: role dev: the policy',
  },
  {
    about: 'a project is created',
    ask: `POST ${at}`,
    body: project('made', { ...everything, description: 'first' }, { labels: { team: 'a' } }),
    status: 200,
    answer: {
      metadata: { name: 'made', namespace: 'argocd', labels: { team: 'a' } },
      spec: { description: 'first' },
    },
  },
  {
    about: 'the same again is accepted',
    ask: `POST ${at}`,
    body: project('made', { ...everything, description: 'first' }),
    status: 200,
    answer: { metadata: { labels: { team: 'a' } } },
  },
  {
    about: 'another spec needs upsert',
    ask: `POST ${at}`,
    body: project('made', everything),
    status: 400,
    answer: 'existing project spec is different, use upsert flag to force update',
  },
  {
    about: 'with upsert it is replaced',
    ask: `POST ${at}`,
    body: { ...project('made', { ...everything, description: 'second' }), upsert: true },
    status: 200,
    answer: { spec: { description: 'second' } },
  },
  {
    about: 'the path and the body name one project',
    ask: `PUT ${at}/made`,
    body: project('shop', {}),
    status: 400,
    answer: 'the path names project made, the body shop',
  },
  {
    about: 'an old resourceVersion is a conflict',
    ask: `PUT ${at}/made`,
    body: project('made', everything, { resourceVersion: '1' }),
    status: 409,
  },
  {
    about: 'a project is updated',
    ask: `PUT ${at}/made`,
    body: project('made', {
      ...everything,
      syncWindows: [
        { kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'] },
        { kind: 'allow', schedule: `0 ${twelveHoursFromNow} * * *`, duration: '1m', applications: ['*'] },
      ],
    }),
    status: 200,
    answer: { spec: { syncWindows: [{ kind: 'deny' }, { kind: 'allow' }] } },
  },
  {
    about: 'the windows that are open now',
    as: 'reader',
    ask: `GET ${at}/made/syncwindows`,
    status: 200,
    answer: { windows: [{ kind: 'deny', schedule: '* * * * *' }] },
  },
  {
    about: 'its events say who did what',
    ask: `GET ${at}/made/events`,
    status: 200,
    answer: {
      items: expect.arrayContaining([
        expect.objectContaining({ reason: 'ResourceCreated', message: 'admin created project' }),
        expect.objectContaining({ reason: 'ResourceUpdated', message: 'admin updated project' }),
      ]),
    },
  },
  {
    about: 'a destination that an application uses stays',
    ask: `PUT ${at}/shop`,
    body: project('shop', { sourceRepos: ['*'], destinations: [{ server: '*', namespace: 'elsewhere' }] }),
    status: 400,
    answer: 'as a result of project update 1 applications destination became invalid (argocd/web)',
  },
  {
    about: 'so does a source',
    ask: `PUT ${at}/shop`,
    body: project('shop', { sourceRepos: ['https://example.com/x'], destinations: everything.destinations }),
    status: 400,
    answer: '1 applications source became invalid (argocd/web)',
  },
  {
    about: 'a project with applications is not deleted',
    ask: `DELETE ${at}/shop`,
    status: 400,
    answer: 'project shop is used by application argocd/web',
  },
  {
    about: 'nor is the default one',
    ask: `DELETE ${at}/default`,
    status: 400,
    answer: 'default cannot be deleted',
  },
  {
    about: 'one without applications is deleted',
    ask: `DELETE ${at}/made`,
    status: 200,
    answer: {},
  },
  { about: 'and is gone at once', ask: `GET ${at}/made`, status: 404 },
];

test.each(cases)('$about', async (one) => {
  await play(tenants, one);
});

test('server §2.6: fields of the list are selected', async () => {
  const path = `GET ${at}?fields=items.metadata.name`;
  expect(await play(tenants, { about: '', ask: path, status: 200 })).toEqual({
    items: [
      { metadata: { name: 'bank' } },
      { metadata: { name: 'default' } },
      { metadata: { name: 'shop' } },
    ],
  });
});

test('who may update a project but not clusters and repositories adds none to it', async () => {
  await tenants.configure('argocd-rbac-cm', {
    'policy.csv': ['g, reader, role:readonly', 'p, reader, projects, update, bank, allow'].join('\n'),
  });
  const put = (spec: object) => tenants.ask('reader', 'PUT', `${at}/bank`, project('bank', spec));
  await expect.poll(async () => (await put(everything)).status).toBe(200);
  const refused = async (spec: object) => ((await (await put(spec)).json()) as { message: string }).message;
  expect(
    await refused({
      ...everything,
      destinations: [...everything.destinations, { server: 'https://new', namespace: '*' }],
    }),
  ).toContain('permission denied: clusters, update, https://new, sub: reader');
  expect(await refused({ ...everything, sourceRepos: ['*', 'https://new/repo'] })).toContain(
    'permission denied: repositories, update, https://new/repo, sub: reader',
  );
  expect(await refused({ ...everything, clusterResourceWhitelist: [{ group: '*', kind: '*' }] })).toContain(
    'permission denied: clusters, update, *, sub: reader',
  );
});

test('engine P-2: the global projects that a project inherits from, and their roles only for those who may see them', async () => {
  const globalProjects = JSON.stringify([
    { projectName: 'shop', labelSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } },
  ]);
  await tenants.configure('argocd-cm', { globalProjects });
  const team = {
    ...project('team', { ...everything, roles: [{ name: 'dev', policies: [] }] }, { labels: { team: 'a' } }),
  };
  await play(tenants, { about: '', ask: `POST ${at}`, body: team, status: 200 });
  type Token = { token: string };
  const { token } = (await play(tenants, {
    about: '',
    ask: `POST ${at}/team/roles/dev/token`,
    body: {},
    status: 200,
  })) as unknown as Token;
  const rolesSeen = async (who: Parameters<Tenants['ask']>[0]) => {
    const response = await tenants.ask(who, 'GET', `${at}/team/globalprojects`);
    const { items } = (await response.json()) as { items: { metadata: { name: string }; spec: object }[] };
    return items.map(({ metadata, spec }) => `${metadata.name} ${'roles' in spec}`);
  };
  await expect.poll(() => rolesSeen('admin')).toEqual(['shop true']);
  expect(await rolesSeen({ token })).toEqual(['shop false']);
  await play(tenants, {
    about: '',
    ask: `GET ${at}/team/detailed`,
    status: 200,
    answer: {
      project: { metadata: { name: 'team' } },
      globalProjects: [{ metadata: { name: 'shop' } }],
      repositories: [],
      clusters: [],
    },
  });
});

test('the links of a project are filled in, and one that would run in the page is left out', async () => {
  const links = [
    { title: 'Board', url: 'https://board.example.com/{{.project.metadata.name}}', 'icon.class': 'fa-x' },
    { title: 'Other', url: 'https://x.example.com', if: 'project.metadata.name == "bank"' },
    { title: 'Script', url: 'javascript:alert(1)' },
  ];
  await tenants.configure('argocd-cm', { 'project.links': JSON.stringify(links) });
  const read = () => play(tenants, { about: '', as: 'dev', ask: `GET ${at}/shop/links`, status: 200 });
  await expect
    .poll(read)
    .toEqual({ items: [{ title: 'Board', url: 'https://board.example.com/shop', iconClass: 'fa-x' }] });
});
