import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Select } from '../kit/select.tsx';
import { resourceFacets, resourceFilterOf, withField } from '../shape/resource-filter.ts';
import type { TreeItem } from '../shape/resource-forest.ts';

/** A select for each thing that the resources can be filtered by. */
export function ResourceFacets({ items }: { items: readonly TreeItem[] }) {
  const address = useAddress();
  const filter = resourceFilterOf(address.query);
  return (
    <div className="resource-facets">
      {resourceFacets(items, filter).map(({ field, label, values }) => {
        const chosen = [...(filter.get(field) ?? [])];
        return (
          <Select
            key={field}
            label={label}
            value={chosen.join(',')}
            onChange={(value) =>
              navigate(withQuery({ resource: withField(filter, field, value) }, address), 'replace')
            }
            options={[
              { value: '', label: `${label}: any` },
              ...(chosen.length > 1
                ? [{ value: chosen.join(','), label: `${label}: ${chosen.join(' or ')}` }]
                : []),
              ...values.map(({ value, count }) => ({
                value,
                label: `${chosen.includes(value) ? `${label}: ` : ''}${value} (${count})`,
              })),
            ]}
          />
        );
      })}
    </div>
  );
}
