import './applications.css';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { nextMatch, searchTree, type TreeMatches } from '../shape/tree-search.ts';
import { ZoomControl, type ZoomProps } from './zoom-control.tsx';

export type TreeSearch = {
  readonly text: string;
  readonly found: TreeMatches;
  /** The match that is being shown; undefined: nothing is searched, or nothing matches. */
  readonly current: TreeItem | undefined;
  readonly at: number;
  step(by: 1 | -1): void;
};

/** The search in the address, and the place among its matches. */
export function useTreeSearch(items: readonly TreeItem[]): TreeSearch {
  const text = useAddress().query.get('find') ?? '';
  const found = useMemo(() => searchTree(items, text), [items, text]);
  const [place, setPlace] = useState({ text, at: 0 });
  const at = place.text === text ? Math.min(place.at, Math.max(0, found.items.length - 1)) : 0;
  const step = (by: 1 | -1) => setPlace({ text, at: nextMatch(found, at, by) });
  return { text, found, current: found.items[at], at, step };
}

type BarProps = { search: TreeSearch; zoom: ZoomProps; onWalk(): void; children?: ReactNode };

/** Above the tree: the search in it, what it can be filtered by, all branches at once, and the zoom. */
export function TreeBar({ search, zoom, onWalk, children }: BarProps) {
  return (
    <div className="tree-bar">
      <SearchField search={search} onWalk={onWalk} />
      {children}
      <FoldAll />
      <ZoomControl {...zoom} />
    </div>
  );
}

function FoldAll() {
  const address = useAddress();
  const isFolded = address.query.has('fold');
  const fold = () => navigate(withQuery({ fold: isFolded ? undefined : 'all' }, address), 'replace');
  return (
    <Button variant="quiet" className="small" onClick={fold}>
      {isFolded ? 'Unfold all' : 'Fold all'}
    </Button>
  );
}

function SearchField({ search, onWalk }: { search: TreeSearch; onWalk(): void }) {
  const { text, found, step } = search;
  const address = useAddress();
  const input = useRef<HTMLInputElement>(null);
  const find = (next: string) => navigate(withQuery({ find: next }, address), 'replace');
  useHotkeys({ '/': () => input.current?.select() });
  const why = found.items.length < 2 ? 'There is no other match.' : undefined;
  return (
    <search className="tree-search">
      <div className="filter">
        <Icon name="search" />
        <input
          ref={input}
          className="input"
          type="search"
          value={text}
          placeholder="Find by name or kind"
          aria-label="Find in the tree"
          onChange={(event) => find(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
            else if (event.key === 'ArrowDown') onWalk();
            else if (event.key === 'Escape') event.currentTarget.blur();
            else return;
            event.preventDefault();
          }}
        />
        <kbd>/</kbd>
      </div>
      <output className="tree-count">{text.trim() && countOf(search)}</output>
      {text.trim() && (
        <>
          <Button variant="quiet" icon="up" aria-label="Previous match" why={why} onClick={() => step(-1)} />
          <Button variant="quiet" icon="down" aria-label="Next match" why={why} onClick={() => step(1)} />
        </>
      )}
    </search>
  );
}

const countOf = ({ found: { items }, at }: TreeSearch): string =>
  items.length === 0 ? 'No match' : `${at + 1} of ${items.length}`;
