import './first-application.css';
import { CopyButton } from '../kit/copy-button.tsx';
import { exampleSet } from '../shape/example-set.ts';
import { NewSetButton } from './new-set-button.tsx';
import { YamlView } from './yaml-view.tsx';

const command = 'fairlead appset create shop.yaml';

/** The empty state of the list of sets: what a set is, an example, and the command that creates it. */
export function FirstSet() {
  return (
    <div className="page first">
      <h1 className="sentence">
        There are no ApplicationSets yet. A set generates an application for each folder, cluster or entry of
        a list.
      </h1>
      <NewSetButton />
      <ol className="first-steps">
        <li>
          <h2>Write one, here shop.yaml</h2>
          <YamlView text={exampleSet} label="the example" />
        </li>
        <li>
          <h2>Create it</h2>
          <div className="command">
            <pre>{command}</pre>
            <CopyButton text={command} label="Copy: Create it" />
          </div>
        </li>
      </ol>
    </div>
  );
}
