import { Button } from '../kit/button.tsx';
import type { IconName } from '../kit/icon.tsx';
import { type Theme, useTheme } from '../kit/theme.ts';

const styles: Readonly<Record<Theme, { icon: IconName; words: string }>> = {
  system: { icon: 'screen', words: 'Theme: as the system' },
  light: { icon: 'sun', words: 'Theme: light' },
  dark: { icon: 'moon', words: 'Theme: dark' },
};

export function ThemeSwitch() {
  const [theme, next] = useTheme();
  const { icon, words } = styles[theme];
  return <Button variant="quiet" icon={icon} aria-label={words} hint={words} onClick={next} />;
}

/** The same choice with all three in view. */
export function ThemeChoice() {
  const [theme, , choose] = useTheme();
  return (
    <div className="themes">
      {(Object.keys(styles) as Theme[]).map((one) => (
        <Button
          key={one}
          icon={styles[one].icon}
          aria-pressed={one === theme}
          className="toggle"
          onClick={() => choose(one)}
        >
          {styles[one].words.replace('Theme: ', '')}
        </Button>
      ))}
    </div>
  );
}
