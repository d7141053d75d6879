import type { GroupVersionKind } from '#base/model';

/** A resource the cluster serves, in one version. `preferred` marks the version a client should choose. */
export type ApiResource = GroupVersionKind & {
  readonly apiVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly preferred: boolean;
};

/** The resources of one group version; `stale` when its API server was unreachable. */
export type ServedVersion = {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Omit<ApiResource, 'preferred'>[];
  readonly stale: boolean;
};

/** The groups of one discovery document, each with its versions in order of preference. */
export type AggregatedView = {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version?: string;
      readonly freshness?: string;
      readonly resources?: readonly AggregatedResourceView[];
    }[];
  }[];
};

type AggregatedResourceView = {
  readonly resource?: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource?: string }[];
};

export type ResourceListView = {
  readonly resources?: readonly {
    readonly name?: string;
    readonly kind?: string;
    readonly namespaced?: boolean;
    readonly singularName?: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
};

/** Reads an APIGroupDiscoveryList. */
export function readAggregated(document: AggregatedView): ServedVersion[] {
  return (document.items ?? []).flatMap(({ metadata, versions = [] }) => {
    const group = metadata?.name ?? '';
    return versions.map(({ version = '', freshness, resources = [] }) => ({
      group,
      version,
      stale: freshness === 'Stale',
      resources: resources.flatMap((view) => fromAggregated(group, version, view)),
    }));
  });
}

function fromAggregated(
  group: string,
  version: string,
  view: AggregatedResourceView,
): ServedVersion['resources'] {
  const { resource, responseKind, verbs = [], shortNames = [], categories = [], subresources = [] } = view;
  if (!resource || !responseKind?.kind) return [];
  return [
    {
      group,
      version,
      apiVersion: apiVersionOf(group, version),
      kind: responseKind.kind,
      plural: resource,
      singular: view.singularResource ?? '',
      namespaced: view.scope === 'Namespaced',
      verbs,
      subresources: subresources.flatMap(({ subresource }) => subresource ?? []),
      shortNames,
      categories,
    },
  ];
}

/** Reads an APIResourceList, where a subresource is an entry of its own named `pods/log`. */
export function readResourceList(group: string, version: string, document: ResourceListView): ServedVersion {
  const entries = document.resources ?? [];
  const children = new Map<string, string[]>();
  for (const { name = '' } of entries) {
    const [parent = '', ...rest] = name.split('/');
    if (rest.length > 0) children.set(parent, [...(children.get(parent) ?? []), rest.join('/')]);
  }
  return {
    group,
    version,
    stale: false,
    resources: entries.flatMap(({ name, kind, namespaced = false, singularName = '', ...more }) =>
      !name || !kind || name.includes('/')
        ? []
        : {
            group,
            version,
            apiVersion: apiVersionOf(group, version),
            kind,
            plural: name,
            singular: singularName,
            namespaced,
            verbs: more.verbs ?? [],
            subresources: children.get(name) ?? [],
            shortNames: more.shortNames ?? [],
            categories: more.categories ?? [],
          },
    ),
  };
}

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
