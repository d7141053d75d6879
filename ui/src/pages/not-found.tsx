import { Link } from '../kit/link.tsx';
import { Problem } from '../kit/problem.tsx';
import { Frame } from '../parts/frame.tsx';
import { applicationsPath } from '../shape/address.ts';

const unknown = {
  title: 'There is no such page',
  message: 'The address leads nowhere; perhaps it was cut in a chat.',
};

/** compat server §10.1: pages of Argo CD that have no counterpart, and what there is instead. */
const counterparts = {
  resources: {
    title: 'Resources stand with their application',
    message:
      'There is no list of the resources of all applications. An application has its own as a tree, which can be searched, and as a list.',
  },
};

export function NotFoundPage({ instead }: { instead?: keyof typeof counterparts | undefined }) {
  const { title, message } = instead ? counterparts[instead] : unknown;
  return (
    <Frame title={title} crumbs={[{ label: instead ? 'Resources' : 'Not found' }]}>
      <Problem isPage title={title} message={message}>
        <Link to={applicationsPath} className="button">
          All applications
        </Link>
      </Problem>
    </Frame>
  );
}
