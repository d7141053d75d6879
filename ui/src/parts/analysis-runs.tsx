import './rollout-panel.css';
import type { AppRef } from '../data/use-application.ts';
import { Link } from '../kit/link.tsx';
import { viewPath } from '../shape/address.ts';
import type { MetricPlot, PlotPoint, RunPlot } from '../shape/analysis-plot.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { toneOfHealth } from '../shape/state.ts';
import { HealthMark } from './mark.tsx';

/** AnalysisRuns with their measurements as plots, newest first. */
export function AnalysisRuns({
  runs,
  items,
  place,
}: {
  runs: readonly RunPlot[];
  items: readonly TreeItem[];
  place: AppRef;
}) {
  if (runs.length === 0) return null;
  return (
    <section aria-label="Analysis">
      <h3>Analysis</h3>
      <ul className="analysis-runs">
        {runs.map((run, at) => (
          <li key={run.name}>
            <details open={at === 0 || run.phase === 'Running'}>
              <summary>
                <span className={`standing tone-${toneOfHealth(run.health)}`}>
                  <HealthMark status={run.health} size={14} /> {run.phase}
                </span>
                <span className="cut">
                  {run.of} <small>{run.when}</small>
                </span>
              </summary>
              {run.message && <p className="analysis-message">{run.message}</p>}
              {run.metrics.map((metric) => (
                <Metric key={metric.name} metric={metric} />
              ))}
              <Link
                to={viewPath(place, 'tree', items.find(({ name }) => name === run.name)?.key)}
                className="textlink"
              >
                {run.name}
              </Link>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Metric({ metric }: { metric: MetricPlot }) {
  const { name, health, tally, condition, isDryRun, points, message } = metric;
  return (
    <div className="metric">
      <p>
        <b>{name}</b> {isDryRun && <span className="role-tag">dry run</span>}
        <span className={`standing tone-${toneOfHealth(health)}`}>
          <HealthMark status={health} size={14} /> {tally}
        </span>
      </p>
      {points.length > 0 && <Plot metric={metric} />}
      {condition && <code className="metric-condition">{condition}</code>}
      {message && <p className="analysis-message">{message}</p>}
    </div>
  );
}

const [width, height, margin] = [360, 64, 8];
const across = (x: number): number => margin + x * (width - 2 * margin);
const up = (y: number): number => height - margin - y * (height - 2 * margin);

/** The measurements from left to right; the form of a point is its verdict, and the dashed line the limit. */
function Plot({ metric: { name, points, limit, range } }: { metric: MetricPlot }) {
  const words = points.map(({ text }) => text).join('; ');
  return (
    <div className="metric-plot">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Measurements of ${name}: ${words}`}>
        {limit && (
          <line className="plot-limit" x1={0} x2={width} y1={up(limit.y)} y2={up(limit.y)}>
            <title>limit {limit.text}</title>
          </line>
        )}
        {range && (
          <polyline
            className="plot-line"
            points={points.map(({ x, y }) => `${across(x)},${up(y)}`).join(' ')}
          />
        )}
        {points.map((point) => (
          <Point key={point.key} point={point} />
        ))}
      </svg>
      {range && (
        <p className="plot-range faint">
          <small>{range[1]}</small>
          <small>{range[0]}</small>
        </p>
      )}
    </div>
  );
}

const forms: Readonly<Record<string, { readonly d: string; readonly tone: string }>> = {
  Successful: { d: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z', tone: 'good' },
  Failed: { d: 'M0 -5L5 4H-5z', tone: 'bad' },
  Error: {
    d: 'M-4 -2.5L-2.5 -4L0 -1.5L2.5 -4L4 -2.5L1.5 0L4 2.5L2.5 4L0 1.5L-2.5 4L-4 2.5L-1.5 0z',
    tone: 'bad',
  },
  Inconclusive: { d: 'M-4 -4H4V4H-4z', tone: 'rest' },
};
const other = { d: 'M0 -5L5 0L0 5L-5 0z', tone: 'busy' };

function Point({ point: { x, y, phase, text } }: { point: PlotPoint }) {
  const { d, tone } = forms[phase] ?? other;
  return (
    <path className={`plot-point tone-${tone}`} d={d} transform={`translate(${across(x)} ${up(y)})`}>
      <title>{text}</title>
    </path>
  );
}
