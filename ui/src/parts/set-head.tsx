import './application.css';
import { Button } from '../kit/button.tsx';
import { setFacts, setNotices } from '../shape/application-set.ts';
import { type SetStory, setSentence } from '../shape/set-sentence.ts';
import { FactCell } from './fact-row.tsx';
import { Notices } from './notices.tsx';
import { Sentence } from './sentence.tsx';
import { SetMenu } from './set-menu.tsx';

/** The sentence, the news among the conditions and the facts, above any table. */
export function SetHead({ story, onPreview }: { story: SetStory; onPreview(): void }) {
  const { set } = story;
  return (
    <>
      <div className="opening">
        <Sentence spans={setSentence(story)} />
        <div className="actions">
          <Button variant="act" hint="Evaluate it, and see what it would do  p" onClick={onPreview}>
            Preview
          </Button>
          <SetMenu set={set} count={story.apps.length} />
        </div>
      </div>
      <Notices notices={setNotices(set)} />
      <dl className="facts">
        {setFacts(set).map((fact) => (
          <FactCell key={fact.label} fact={fact} />
        ))}
      </dl>
    </>
  );
}
