import './sets.css';
import type { ApplicationSet, SetGenerator } from '#base/model';
import { print } from '#lang/yaml';
import type { ApplicationSetPreview } from '#serve/api';
import type { Loaded } from '../data/use-load.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { inWords } from '../shape/set-generators.ts';
import { parameterTable } from '../shape/set-preview.ts';
import { YamlView } from './yaml-view.tsx';

/** The generators in words and as written, and the parameters that they yield now. */
export function GeneratorsView({
  set,
  preview,
}: {
  set: ApplicationSet;
  preview: Loaded<ApplicationSetPreview>;
}) {
  const generators = set.spec.generators ?? [];
  return (
    <div className="generators">
      <ol>
        {generators.map((generator, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a generator has no name but its index
          <li key={at}>
            <Generator generator={generator} />
          </li>
        ))}
      </ol>
      {generators.length === 0 && <p className="none-left">The set has no generators.</p>}
      <SetParameters preview={preview} />
    </div>
  );
}

function Generator({ generator }: { generator: SetGenerator }) {
  const words = inWords(generator);
  return (
    <>
      <h2>{words.charAt(0).toUpperCase() + words.slice(1)}</h2>
      <YamlView text={print(generator)} label="the generator" />
    </>
  );
}

const most = 500; // rows: more are no table to read

/** The parameters of each generated application. */
export function SetParameters({ preview: { data, error } }: { preview: Loaded<ApplicationSetPreview> }) {
  if (!data && error) return <Problem title="The parameters cannot be shown" message={error.message} />;
  if (!data) return <Skeleton label="Evaluating the generators" rows={4} />;
  const { keys, rows } = parameterTable(data.parameters);
  if (rows.length === 0) {
    return (
      <p className="none-left">
        {data.blocked ? `No parameters: ${data.blocked}` : 'The generators yield nothing.'}
      </p>
    );
  }
  return (
    <>
      <h2>
        Parameters <span className="count">{rows.length}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
      <div className="parameters" tabIndex={0}>
        <table>
          <caption className="unseen">Parameters of each generated application</caption>
          <thead>
            <tr>
              {keys.map((key) => (
                <th key={key} scope="col">
                  {key}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a set of parameters is identified by its index
              <tr key={at}>
                {row.map((value, column) => (
                  <td key={keys[column]}>{value}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > most && <p className="faint">and {rows.length - most} more</p>}
    </>
  );
}
