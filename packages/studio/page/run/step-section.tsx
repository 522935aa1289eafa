import { Undo2 } from 'lucide-react'
import type { RunDetail, StepView } from '../../src/wire.ts'
import { formatCost, formatCount, formatDuration, tokenTotal } from '../format/numbers.ts'
import { OUTCOMES } from '../parts/outcome.tsx'
import { TextView } from '../parts/text-view.tsx'
import { NodeList } from './node-list.tsx'

interface StepSectionProps {
  step: StepView
  run: RunDetail
  /** Hides processors that passed. */
  isBrief: boolean
  selected: string | undefined
  onSelect: (node: string) => void
}

export function StepSection({ step, run, isBrief, selected, onSelect }: StepSectionProps) {
  const title = `Step ${step.stepNumber + 1}`
  const tokens = tokenTotal(step.usage)
  return (
    <section className="step" aria-label={title} aria-busy={step.state === 'running'}>
      <header className="step-head">
        <h2>{title}</h2>
        {step.agentName !== undefined && step.agentName !== run.agentName && (
          <span className="soft small">by {step.agentName}</span>
        )}
        <Gauge step={step} />
        <p className="step-figures soft small number">
          {[
            step.timeToFirstChunkMs !== undefined && `first chunk ${formatDuration(step.timeToFirstChunkMs)}`,
            tokens !== undefined && `${formatCount(tokens)} tokens`,
            step.cost && formatCost(step.cost),
            step.state === 'running'
              ? 'running'
              : step.durationMs !== undefined && formatDuration(step.durationMs),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </header>
      {step.discarded.map(({ reason, processorId, text }, index) => (
        <div key={`${index}-${reason}`} className="discarded">
          <p className="row small">
            <Undo2 aria-hidden size={14} />
            <strong>Attempt {index + 1} was retracted</strong>
            {processorId !== undefined && <span className="code">{processorId}</span>}
            <span className="soft">{reason}</span>
          </p>
          {text && (
            <s className="retracted">
              <TextView text={text} />
            </s>
          )}
        </div>
      ))}
      <NodeList
        nodes={step.pipeline}
        run={run}
        step={step}
        isBrief={isBrief}
        selected={selected}
        onSelect={onSelect}
      />
      {step.text && step.text.text !== '' && (
        <div className="step-text">
          <TextView text={step.text} />
        </div>
      )}
    </section>
  )
}

/** An overview of a step: one mark per node, in order. */
function Gauge({ step: { pipeline } }: { step: StepView }) {
  return (
    <span className="gauge" aria-hidden="true">
      {pipeline.slice(0, 60).map((node) => (
        <i
          key={node.id}
          className="gauge-mark"
          data-tone={node.kind === 'processor' ? OUTCOMES[node.outcome].tone : 'water'}
          data-kind={node.kind}
        />
      ))}
    </span>
  )
}
