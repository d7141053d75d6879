import type { KubeObject } from '#base/model';
import { print } from '#lang/yaml';
import { useAddress, withQuery } from '../kit/location.ts';
import { Segmented } from '../kit/segmented.tsx';
import { withoutBookkeeping } from '../shape/changes.ts';
import { YamlView } from './yaml-view.tsx';

/** The live manifest of the application, or of the set, itself. */
export function ManifestView({ object }: { object: KubeObject & { operation?: unknown } }) {
  const address = useAddress();
  const isWhole = address.query.get('part') === 'all';
  const { status, operation, ...declared } = object;
  return (
    <div className="manifest">
      <div className="manifest-head">
        <Segmented
          label="Show"
          current={isWhole ? 'all' : 'spec'}
          options={[
            { id: 'spec', label: 'Declared', to: withQuery({ part: undefined }, address) },
            { id: 'all', label: 'With status', to: withQuery({ part: 'all' }, address) },
          ]}
        />
      </div>
      <YamlView text={print(withoutBookkeeping(isWhole ? object : declared))} label="the manifest" />
    </div>
  );
}
