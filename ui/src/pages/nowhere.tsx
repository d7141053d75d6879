import { Link } from '../kit/link.tsx';
import { Problem } from '../kit/problem.tsx';
import { Frame } from '../parts/frame.tsx';
import { applicationsPath } from '../shape/address.ts';

export function NowherePage() {
  return (
    <Frame title="Not found" crumbs={[{ label: 'Not found' }]}>
      <Problem
        isPage
        title="There is no such page"
        message="The address leads nowhere; perhaps it was cut in a chat."
      >
        <Link to={applicationsPath} className="button">
          All applications
        </Link>
      </Problem>
    </Frame>
  );
}
