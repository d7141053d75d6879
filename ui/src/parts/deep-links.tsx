import type { ResourceKey } from '#base/model';
import type { LinkList } from '#serve/api';
import type { AppRef } from '../data/use-application.ts';
import type { Loaded } from '../data/use-load.ts';
import { useLinks } from '../data/use-resource.ts';
import { isLinkAddress } from '../shape/resource-forest.ts';

/** The links that argocd-cm sets for an application, for one resource of it, or for a project. */
export function LinkRow({ links: { data } }: { links: Loaded<LinkList> }) {
  const items = (data?.items ?? []).filter(({ url }) => isLinkAddress(url));
  if (items.length === 0) return null;
  return (
    <ul className="deep-links" aria-label="Links">
      {items.map(({ title, url, description }) => (
        <li key={`${title} ${url}`}>
          <a href={url} title={description} target="_blank" rel="noreferrer" className="textlink">
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The links of an application, or of one resource of it. */
export function DeepLinks({ place, resource }: { place: AppRef; resource?: ResourceKey }) {
  return <LinkRow links={useLinks(place, resource)} />;
}
