import './sets.css';
import { useRef } from 'react';
import { Link } from '../kit/link.tsx';
import { placeOf, setViewPath } from '../shape/address.ts';
import { countOfSet, projectOfSet } from '../shape/application-set.ts';
import { inWords } from '../shape/set-generators.ts';
import { healthInList, type SetStory, setTrouble } from '../shape/set-sentence.ts';
import { HealthState } from './mark.tsx';
import { openRow, useWalking } from './walk-rows.ts';

/** The sets, one a row, with what needs attention in each. */
export function SetsTable({ stories }: { stories: readonly SetStory[] }) {
  const body = useRef<HTMLTableSectionElement>(null);
  useWalking(body);
  return (
    <table className="sets">
      <caption className="unseen">ApplicationSets</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Project</th>
          <th scope="col">Health</th>
          <th scope="col" className="number">
            Applications
          </th>
          <th scope="col">Generators</th>
          <th scope="col">Needs attention</th>
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link in each row is the keyboard's way */}
      <tbody ref={body} onClick={openRow}>
        {stories.map((story) => (
          <SetRow key={setViewPath(placeOf(story.set))} story={story} />
        ))}
      </tbody>
    </table>
  );
}

function SetRow({ story }: { story: SetStory }) {
  const { set, apps } = story;
  const generators = (set.spec.generators ?? []).map(inWords).join('; ');
  const trouble = setTrouble(story);
  return (
    <tr>
      <th scope="row" className="cut">
        <Link to={setViewPath(placeOf(set))} className="name" data-open>
          {set.metadata.name}
        </Link>
      </th>
      <td className="cut">{projectOfSet(set)}</td>
      <td>
        <HealthState status={healthInList(story)} />
      </td>
      <td className="number">{countOfSet(set, apps.length)}</td>
      <td className="cut" title={generators}>
        {generators}
      </td>
      <td className="cut" title={trouble}>
        {trouble || <span className="faint">–</span>}
      </td>
    </tr>
  );
}
