import { Tabs } from '@base-ui/react/tabs'
import type { GuardResult, SplitResult, StrategyOutput } from '../../src/wire.ts'
import { formatCount, formatDuration } from '../format/numbers.ts'
import { Difference } from '../parts/difference.tsx'
import { Badge, type Look, OUTCOMES } from '../parts/outcome.tsx'
import { ScrollRegion } from '../parts/scroll-region.tsx'

interface OutputViewProps {
  title: string
  /** The strategy that is shown first. */
  defaultStrategy: string | undefined
  result: GuardResult
}

const LOOKS: Readonly<Record<StrategyOutput['outcome'], Look>> = {
  passed: OUTCOMES.passed,
  changed: OUTCOMES.changed,
  blocked: OUTCOMES.blocked,
  halted: OUTCOMES.halted,
  removed: { ...OUTCOMES.blocked, label: 'Left out' },
  reported: { ...OUTCOMES.passed, label: 'Reported and passed' },
}

/** The output of one guard under each strategy, and whether it depends on the chunk size. */
export function OutputView({ title, defaultStrategy, result }: OutputViewProps) {
  const { outputs, error, splits, durationMs } = result
  const first = outputs.find(({ strategy }) => strategy === defaultStrategy) ?? outputs[0]
  return (
    <section className="card" aria-label={`Output of ${title}`}>
      <header className="card-head">
        <h2>{title}</h2>
        <span className="soft small number">{formatDuration(durationMs)}</span>
        {splits && <SplitBadge splits={splits} />}
      </header>
      {error !== undefined && (
        <p className="card-body">
          <span className="notice" data-tone="blocked" role="alert">
            {error}
          </span>
        </p>
      )}
      {first && (
        <Tabs.Root defaultValue={first.strategy}>
          <Tabs.List className="tabs strategies" aria-label={`Strategies of ${title}`}>
            {outputs.map(({ strategy }) => (
              <Tabs.Tab key={strategy} value={strategy} className="tab">
                {strategy}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {outputs.map((output) => (
            <Tabs.Panel key={output.strategy} value={output.strategy} className="card-body stack">
              <Output output={output} />
            </Tabs.Panel>
          ))}
        </Tabs.Root>
      )}
      {splits && splits.pieces.length > 0 && <Splits splits={splits} title={title} />}
    </section>
  )
}

function Output({ output: { outcome, difference, reason, text } }: { output: StrategyOutput }) {
  return (
    <>
      <p className="row">
        <Badge look={LOOKS[outcome]} />
        {reason !== undefined && <span className="small">{reason}</span>}
      </p>
      {text === undefined ? (
        <p className="soft small">Nothing is emitted.</p>
      ) : (
        <div className="well">
          <Difference parts={difference} isWhole />
        </div>
      )}
    </>
  )
}

function SplitBadge({ splits: { same } }: { splits: SplitResult }) {
  return (
    <Badge
      look={
        same
          ? { label: 'Same for all chunk sizes', tone: 'fine', Icon: OUTCOMES.passed.Icon }
          : { label: 'Differs by chunk size', tone: 'blocked', Icon: OUTCOMES.failed.Icon }
      }
    />
  )
}

function Splits({ splits: { pieces }, title }: { splits: SplitResult; title: string }) {
  const [whole] = pieces
  return (
    <details className="splits">
      <summary>As a streamed answer, by chunk size</summary>
      <ScrollRegion className="table-scroll" label={`Chunk sizes of ${title}`}>
        <table className="bench-table number">
          <thead>
            <tr>
              <th scope="col">Piece</th>
              <th scope="col">Chunks</th>
              <th scope="col">Outcome</th>
              <th scope="col">Maximum held back</th>
              <th scope="col">Output</th>
            </tr>
          </thead>
          <tbody>
            {pieces.map(({ size, chunks, outcome, maxHeld, text }) => (
              <tr key={size}>
                <td>{size === 0 ? 'whole' : `${formatCount(size)} characters`}</td>
                <td>{formatCount(chunks)}</td>
                <td>{LOOKS[outcome].label}</td>
                <td>{formatCount(maxHeld)} characters</td>
                <td>{text === whole?.text ? 'the same' : (text ?? 'nothing')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  )
}
