import type { Push } from '#engine';
import type { Payload } from './payload.ts';

/** The pushes that a delivery reports; undefined: an event that Fairlead does not use; `ignored`: one that needs no action. */
export type DeliveredPushes = readonly Push[] | undefined | 'ignored';

/** Deliveries that a host sends to test the hook, or about events that move no branch. */
const nothing = 'ignored';

/** compat server §2.7, engine R-11: Gogs and Gitea report it as GitHub does. */
export function fromGitHub(event: string, payload: Payload): DeliveredPushes {
  if (event === 'ping') return nothing;
  if (event !== 'push') return undefined;
  const repository = payload.at('repository');
  return pushed({
    webUrl: repository.at('html_url').text,
    ref: payload.at('ref').text,
    head: repository.at('default_branch').text,
    commits: payload.at('commits'),
  });
}

export function fromGitLab(event: string, payload: Payload): DeliveredPushes {
  const kind = event === 'System Hook' ? payload.at('event_name').text : event;
  if (event === 'System Hook' && !['push', 'tag_push'].includes(kind)) return nothing;
  if (!['Push Hook', 'Tag Push Hook', 'push', 'tag_push'].includes(kind)) return undefined;
  const project = payload.at('project');
  return pushed({
    webUrl: project.at('web_url').text,
    ref: payload.at('ref').text,
    head: project.at('default_branch').text,
    commits: payload.at('commits'),
  });
}

/** Bitbucket reports neither the default branch nor the changed files. */
export function fromBitbucket(event: string, payload: Payload): DeliveredPushes {
  if (event !== 'repo:push') return undefined;
  const webUrl = payload.at('repository', 'links', 'html', 'href').text;
  const changes = payload.at('push', 'changes').list;
  const names = changes.map((change) => change.at('new', 'name').text || change.at('old', 'name').text);
  return names.flatMap((name) => moved(webUrl, name));
}

/** A repository has a URL for each protocol, and no web page at any of them. */
export function fromBitbucketServer(event: string, payload: Payload): DeliveredPushes {
  if (event === 'diagnostics:ping') return nothing;
  if (event !== 'repo:refs_changed') return undefined;
  const addresses = payload.at('repository', 'links', 'clone').list.map((link) => link.at('href').text);
  const refs = payload
    .at('changes')
    .list.map((change) => change.at('ref', 'id').text || change.at('refId').text);
  return addresses.flatMap((address) => refs.flatMap((ref) => moved(address, ref)));
}

export function fromAzureDevOps(payload: Payload): DeliveredPushes {
  if (payload.at('eventType').text !== 'git.push') return undefined;
  const repository = payload.at('resource', 'repository');
  const head = repository.at('defaultBranch').text;
  return payload
    .at('resource', 'refUpdates')
    .list.flatMap((update) =>
      pushed({ webUrl: repository.at('remoteUrl').text, ref: update.at('name').text, head: branchOf(head) }),
    );
}

/** compat server §2.7: a container package that was published with a tag. */
export function fromContainerRegistry(payload: Payload): DeliveredPushes {
  const item = payload.at('package');
  const isContainer = item.at('package_type').text.toLowerCase() === 'container';
  if (payload.at('action').text !== 'published' || !isContainer) return nothing;
  const tag = item.at('package_version', 'container_metadata', 'tag', 'name').text;
  const [owner, name] = [item.at('owner', 'login').text || item.at('namespace').text, item.at('name').text];
  if (tag === '') return nothing;
  return owner && name ? moved(`oci://ghcr.io/${owner}/${name}`, tag) : [];
}

/** compat server §2.7: the first artifact with a tag. Its address is that of the registry, `host/project/repository:tag`. */
export function fromHarbor(payload: Payload): DeliveredPushes {
  if (payload.at('type').text !== 'PUSH_ARTIFACT') return undefined;
  const pushedArtifact = payload.at('event_data', 'resources').list.find((one) => one.at('tag').text !== '');
  if (!pushedArtifact) return nothing;
  const address = pushedArtifact.at('resource_url').text.replace(/(?:@[^/]*|:[^/:]*)$/, '');
  return address ? moved(`oci://${address}`, pushedArtifact.at('tag').text) : [];
}

/** A registry sends a notification for every layer too: this many tags of one delivery are used. */
const mostTags = 100;

/** dev server §2.7: the tags that the events of a registry pushed. Events of layers, and of other actions, have none. */
export function fromRegistry(payload: Payload): DeliveredPushes {
  const events = payload.at('events').list.filter((one) => one.at('action').text === 'push');
  const tags = new Map<string, readonly Push[]>();
  for (const event of events) {
    const [name, tag] = [event.at('target', 'repository').text, event.at('target', 'tag').text];
    const host = event.at('request', 'host').text || hostIn(event.at('target', 'url').text);
    if (host && name && tag) tags.set(`${host}/${name}:${tag}`, moved(`oci://${host}/${name}`, tag));
  }
  return tags.size > 0 ? [...tags.values()].slice(0, mostTags).flat() : nothing;
}

const hostIn = (url: string): string => /^https?:\/\/([^/]+)\//.exec(url)?.[1] ?? '';

type ReportedPush = {
  readonly webUrl: string;
  readonly ref: string;
  /** The default branch. */
  readonly head: string;
  readonly commits?: Payload;
};

function pushed({ webUrl, ref, head, commits }: ReportedPush): Push[] {
  if (webUrl === '' || ref === '') return [];
  const touched = (commits?.list ?? []).flatMap((commit) =>
    ['added', 'modified', 'removed'].flatMap((how) => commit.at(how).texts),
  );
  const revision = branchOf(ref);
  return [{ webUrl, revision, touchedHead: revision === head, changedFiles: [...new Set(touched)] }];
}

/** Where the default branch is unknown, every push may have moved it. */
function moved(webUrl: string, ref: string): Push[] {
  const known = webUrl !== '' && ref !== '';
  return known ? [{ webUrl, revision: branchOf(ref), touchedHead: true, changedFiles: [] }] : [];
}

/** compat server §2.7: a ref loses its first two segments. */
const branchOf = (ref: string): string => ref.replace(/^refs\/[^/]+\//, '');
