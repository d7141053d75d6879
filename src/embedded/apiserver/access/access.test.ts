import { expect, test } from 'vitest';
import { virtualClock } from '#base/std';
import { talk } from '../../../../test/talk.ts';
import { parseTokens } from './static-tokens.ts';

const tokens = parseTokens('secret1,jane,7,"dev,ops"\nsecret2,joe,\n');
const jane = { authorization: 'Bearer secret1' };
const rbac = () => talk({ authorization: 'rbac', tokens });
const as = (user: string) => ({ 'impersonate-user': user });
const api = '/apis/rbac.authorization.k8s.io/v1';
const apiVersion = 'rbac.authorization.k8s.io/v1';
const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
const user = (name: string) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name });

const role = (name: string, rules: object[]) => ({ apiVersion, kind: 'Role', metadata: { name }, rules });
const clusterRole = (name: string, rules: object[], more: object = {}) => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
  ...more,
});
const binding = (name: string, ref: object, subjects: object[]) => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: ref,
  subjects,
});
const clusterBinding = (name: string, ref: object, subjects: object[]) => ({
  ...binding(name, ref, subjects),
  kind: 'ClusterRoleBinding',
});
const token = (name = 'default') => `/api/v1/namespaces/default/serviceaccounts/${name}/token`;
const tokenRequest = (spec: object = {}) => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec,
});
const selfReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

test('everybody who is known may do everything, unless roles are asked (3.18)', async () => {
  const speak = await talk({ tokens });
  expect((await speak.get('/api/v1/nodes', jane)).status).toBe(200);
  expect((await speak.get('/api/v1/nodes', { authorization: 'Bearer nobody' })).body).toMatchObject({
    code: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
  });
});

test('a refusal names the user, the verb, the resource and the place, as Kubernetes does (3.17)', async () => {
  const speak = await rbac();
  const message = async (path: string) => (await speak.get(path, jane)).body.message;
  expect(await message('/apis/apps/v1/namespaces/default/deployments/web/scale')).toBe(
    'deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments/scale" in API group "apps" in the namespace "default"',
  );
  expect(await message('/api/v1/pods?watch=1')).toBe(
    'pods is forbidden: User "jane" cannot watch resource "pods" in API group "" at the cluster scope',
  );
  expect(await message('/api/v1/namespaces/default')).toBe(
    'namespaces "default" is forbidden: User "jane" cannot get resource "namespaces" in API group "" in the namespace "default"',
  );
  expect(await message('/metrics')).toBe('forbidden: User "jane" cannot get path "/metrics"');
  expect((await speak.get('/apis', jane)).status).toBe(200);
});

test('a role allows its verbs on its resources, by name, by subresource and by wildcard', async () => {
  const speak = await rbac();
  const rules = [
    { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['kube-root-ca.crt'] },
    { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale', 'pods/log'] },
  ];
  await speak.post(`${api}/namespaces/default/roles`, role('some', rules));
  const bound = binding('some', roleRef('Role', 'some'), [{ ...user('dev'), kind: 'Group' }]);
  await speak.post(`${api}/namespaces/default/rolebindings`, bound);
  const code = async (path: string) => (await speak.get(path, jane)).status;
  const maps = '/api/v1/namespaces/default/configmaps';
  expect(await code(`${maps}/kube-root-ca.crt`)).toBe(200);
  expect(await code(`${maps}/other`)).toBe(403);
  expect(await code(maps)).toBe(403);
  expect(await code(`${maps}?fieldSelector=metadata.name%3Dkube-root-ca.crt`)).toBe(403); // a list is not a get
  expect(await code('/apis/apps/v1/namespaces/default/deployments/web/scale')).toBe(404);
  expect(await code('/api/v1/namespaces/default/pods/x/log')).toBe(404);
  expect(await code('/api/v1/namespaces/kube-system/pods/x/log')).toBe(403);
});

test('admin, edit and view gather what is labelled for them, now and later (3.18)', async () => {
  const speak = await rbac();
  await speak.cluster.settled();
  const rulesOf = async (name: string) => (await speak.get(`${api}/clusterroles/${name}`)).body.rules.length;
  expect([await rulesOf('view'), await rulesOf('edit'), await rulesOf('admin')]).toEqual([12, 27, 29]);
  const widgets = [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }];
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
  await speak.post(
    `${api}/clusterroles`,
    clusterRole('widgets', widgets, { metadata: { name: 'widgets', labels } }),
  );
  await speak.cluster.settled();
  expect([await rulesOf('view'), await rulesOf('admin')]).toEqual([13, 30]);
});

test('nobody grants what they do not hold (3.18)', async () => {
  const speak = await rbac();
  const writeRoles = [
    {
      verbs: ['create', 'update', 'get'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles', 'rolebindings'],
    },
  ];
  await speak.post(`${api}/namespaces/default/roles`, role('rbacer', writeRoles));
  const bob = 'system:serviceaccount:default:bob';
  const subjects = [{ kind: 'ServiceAccount', name: 'bob', namespace: 'default' }];
  await speak.post(
    `${api}/namespaces/default/rolebindings`,
    binding('rbacer', roleRef('Role', 'rbacer'), subjects),
  );
  const rules = [
    { apiGroups: ['', 'apps'], resources: ['pods', 'deployments'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get'] },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['get', 'delete'] },
  ];
  const made = await speak.post(`${api}/namespaces/default/roles`, role('r2', rules), as(bob));
  expect(made.body.message).toBe(
    `roles.rbac.authorization.k8s.io "r2" is forbidden: user "${bob}" (groups=["system:serviceaccounts" "system:serviceaccounts:default" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["deployments"], Verbs:["get" "list"]}
{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}
{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}
{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}
{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}
{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}
{APIGroups:["rbac.authorization.k8s.io"], Resources:["roles"], Verbs:["delete"]}`,
  );
  const bind = async (name: string, ref: object) =>
    (await speak.post(`${api}/namespaces/default/rolebindings`, binding(name, ref, [user('x')]), as(bob)))
      .body;
  expect((await bind('all', roleRef('ClusterRole', 'cluster-admin'))).message).toContain(
    'not currently held:\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
  );
  expect((await bind('none', roleRef('Role', 'nope'))).message).toBe(
    'rolebindings.rbac.authorization.k8s.io "nope" not found',
  );
  expect((await bind('ok', roleRef('ClusterRole', 'system:discovery'))).kind).toBe('RoleBinding');
});

test('impersonation is asked for attribute by attribute (3.18)', async () => {
  const speak = await rbac();
  const ask = async (headers: Record<string, string>) =>
    (await speak.get('/api/v1/pods', { ...jane, ...headers })).body.message;
  expect(await ask(as('jim'))).toBe(
    'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
  );
  expect(await ask({ 'impersonate-uid': '12' })).toBe(
    'requested &user.DefaultInfo{Name:"", UID:"12", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
  );
  const rules = [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }];
  await speak.post(`${api}/clusterroles`, clusterRole('imp', rules));
  await speak.post(
    `${api}/clusterrolebindings`,
    clusterBinding('imp', roleRef('ClusterRole', 'imp'), [user('jane')]),
  );
  expect(await ask(as('jim'))).toContain('User "jim" cannot list resource "pods"');
  expect(await ask({ ...as('jim'), 'impersonate-group': 'g1' })).toBe(
    'groups "g1" is forbidden: User "jane" cannot impersonate resource "groups" in API group "" at the cluster scope',
  );
  expect(await ask({ ...as('jim'), 'impersonate-extra-foo': '12' })).toContain(
    'userextras.authentication.k8s.io "12" is forbidden: User "jane" cannot impersonate resource "userextras/foo"',
  );
  const { body } = await speak.post(whoami, selfReview, { ...as('jim'), 'impersonate-group': 'a, b' });
  expect(body.status.userInfo).toEqual({ username: 'jim', groups: ['a', 'b', 'system:authenticated'] });
});

test('a service account’s token says who it is until it expires or what it is bound to goes (3.18)', async () => {
  const clock = virtualClock({ start: new Date('2026-01-02T03:04:05Z') });
  const speak = await talk({ clock });
  const made = await speak.post(token(), tokenRequest({ expirationSeconds: 600 }));
  expect([made.status, made.body.status.expirationTimestamp]).toEqual([201, '2026-01-02T03:14:05Z']);
  const bearer = { authorization: `Bearer ${made.body.status.token}` };
  const { body } = await speak.post(whoami, selfReview, bearer);
  expect(body.status.userInfo).toMatchObject({
    username: 'system:serviceaccount:default:default',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  });
  await speak.post('/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
  });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: 's' };
  const bound = (await speak.post(token(), tokenRequest({ boundObjectRef }))).body.status.token;
  const code = async (text: string) => (await speak.get('/api', { authorization: `Bearer ${text}` })).status;
  expect(await code(bound)).toBe(200);
  await speak.del('/api/v1/namespaces/default/secrets/s');
  expect(await code(bound)).toBe(401);
  expect(await code(`${made.body.status.token}x`)).toBe(401);
  await clock.advance(601_000);
  expect(await code(made.body.status.token)).toBe(401);
});

test('token requests are refused as Kubernetes refuses them', async () => {
  const speak = await talk();
  const message = async (path: string, spec: object) =>
    (await speak.post(path, tokenRequest(spec))).body.message;
  expect(await message(token(), { expirationSeconds: 60 })).toBe(
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
  );
  expect(await message(token(), { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 's' } })).toBe(
    'cannot bind token to object of type /v1, Kind=ConfigMap',
  );
  expect(await message(token('nope'), {})).toBe('serviceaccounts "nope" not found');
});

test('a token review tells whose a token is and for whom', async () => {
  const speak = await talk({ tokens });
  const review = async (spec: object) =>
    (
      await speak.post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec,
      })
    ).body;
  const { token: text } = (await speak.post(token(), tokenRequest())).body.status;
  expect((await review({ token: text })).status).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:default:default' },
    audiences: ['https://kubernetes.default.svc.cluster.local'],
  });
  expect((await review({ token: text, audiences: ['x'] })).status).toEqual({
    user: {},
    error:
      '[invalid bearer token, token audiences ["https://kubernetes.default.svc.cluster.local"] is invalid for the target audiences ["x"]]',
  });
  expect((await review({ token: 'nope' })).status).toEqual({ user: {}, error: 'invalid bearer token' });
  expect((await review({})).message).toBe('token is required for TokenReview in authentication');
});

test('reviews answer what a request would be answered', async () => {
  const speak = await rbac();
  const authorization = '/apis/authorization.k8s.io/v1';
  const ask = async (kind: string, spec: object, headers = {}) =>
    (
      await speak.post(
        `${authorization}/${kind.toLowerCase()}s`,
        { apiVersion: 'authorization.k8s.io/v1', kind, spec },
        headers,
      )
    ).body;
  const path = { nonResourceAttributes: { path: '/healthz', verb: 'get' } };
  expect((await ask('SelfSubjectAccessReview', path, jane)).status).toEqual({
    allowed: true,
    reason:
      'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
  });
  const pods = { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } };
  expect((await ask('SelfSubjectAccessReview', pods, jane)).status).toEqual({ allowed: false });
  expect((await ask('SubjectAccessReview', { user: 'x', ...pods })).status).toEqual({ allowed: false });
  expect((await ask('SubjectAccessReview', pods)).message).toContain(
    'spec.user: Invalid value: "": at least one of user or group must be specified',
  );
  expect((await ask('SelfSubjectRulesReview', { namespace: 'default' }, jane)).status).toMatchObject({
    resourceRules: [
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'] },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'] },
    ],
    incomplete: false,
  });
  expect((await ask('SelfSubjectRulesReview', {}, jane)).message).toBe('no namespace on request');
});

test('a Secret made for an account gets a token, and goes with the account (3.18)', async () => {
  const speak = await talk();
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bob' } };
  await speak.post('/api/v1/namespaces/default/serviceaccounts', account);
  const annotations = { 'kubernetes.io/service-account.name': 'bob' };
  await speak.post('/api/v1/namespaces/default/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 'st', annotations },
  });
  await speak.cluster.settled();
  const { body } = await speak.get('/api/v1/namespaces/default/secrets/st');
  const text = Buffer.from(body.data.token, 'base64').toString();
  const me = await speak.post(whoami, selfReview, { authorization: `Bearer ${text}` });
  expect(me.body.status.userInfo.username).toBe('system:serviceaccount:default:bob');
  await speak.del('/api/v1/namespaces/default/serviceaccounts/bob');
  await speak.cluster.settled();
  expect((await speak.get('/api/v1/namespaces/default/secrets/st')).status).toBe(404);
});

test('a token file that cannot be read is told by its line, never by its content', () => {
  expect(() => parseTokens('a,b,c\nhunter2\n')).toThrow('line 2 of the token file');
  expect(() => parseTokens('hunter2')).not.toThrow('hunter2');
  expect(parseTokens('t,"a,b",u,"g 1,g2"').get('t')).toEqual({
    name: 'a,b',
    uid: 'u',
    groups: ['g 1', 'g2', 'system:authenticated'],
  });
});
