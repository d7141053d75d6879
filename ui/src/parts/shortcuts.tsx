import './palette.css';
import { Dialog } from '../kit/dialog.tsx';

const groups: readonly { title: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K', 'Find an application, a resource or an action'],
      ['?', 'Show these keys'],
      ['Esc', 'Close what is open'],
    ],
  },
  {
    title: 'List of applications',
    keys: [
      ['/', 'Filter'],
      ['j ↓', 'Next application'],
      ['k ↑', 'Previous application'],
      ['Enter', 'Open it'],
    ],
  },
  {
    title: 'Application',
    keys: [
      ['s', 'Sync: see what will change first'],
      ['r', 'Refresh'],
      ['d', 'Show what differs'],
      ['t', 'Back to the tree'],
      ['l', 'Logs of the chosen resource'],
      ['/', 'Find in the tree; Enter and Shift Enter walk the matches'],
      ['← → ↑ ↓', 'Walk the tree'],
      ['+ -', 'Unfold and fold a branch'],
    ],
  },
  { title: 'ApplicationSet', keys: [['p', 'Preview: evaluate it and see what it would do']] },
];

export function Shortcuts({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div className="shortcuts">
        {groups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, words]) => (
                <div key={key}>
                  <dt>
                    {key.split(' ').map((one) => (
                      <kbd key={one}>{one}</kbd>
                    ))}
                  </dt>
                  <dd>{words}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
