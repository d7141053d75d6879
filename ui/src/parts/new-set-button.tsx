import { useWhyNotAnywhere } from '../data/use-may.ts';
import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';

/** Opens the editor of a new set; its address opens it, too. */
export function NewSetButton() {
  const address = useAddress();
  const why = useWhyNotAnywhere('applicationsets', 'create');
  return (
    <Button icon="plus" why={why} onClick={() => navigate(withQuery({ new: 'true' }, address))}>
      New set
    </Button>
  );
}
