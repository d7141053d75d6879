import { navigate } from '../kit/location.ts';
import { type ObjectName, pathOf, type View, viewPath, views } from '../shape/address.ts';
import { type TreeItem, walkForest } from '../shape/resource-forest.ts';
import type { PaletteChoice } from './palette.tsx';

/** The choices that an application's page adds to the palette: its actions, its views, its resources. */
export function applicationChoices(place: ObjectName, items: readonly TreeItem[]): PaletteChoice[] {
  const view = (id: View): PaletteChoice => ({
    id: `view ${id}`,
    kind: 'Page',
    title: `${id[0]?.toUpperCase()}${id.slice(1)}`,
    note: place.name,
    choose: () => navigate(viewPath(place, id)),
  });
  const resource = ({ key, kind, name, health }: TreeItem): PaletteChoice => ({
    id: `resource ${key}`,
    kind: 'Resource',
    title: name,
    note: kind,
    health,
    choose: () => navigate(viewPath(place, 'tree', key)),
  });
  return [
    {
      id: 'sync',
      kind: 'Action',
      title: 'Sync…',
      note: `see what would change in ${place.name}`,
      choose: () => navigate(`${pathOf(place)}?deploy=all`),
    },
    ...views.map(view),
    ...[...walkForest(items)].map(resource),
  ];
}
