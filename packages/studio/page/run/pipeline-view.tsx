import { Dialog } from '@base-ui/react/dialog'
import { MousePointerClick, Waypoints, X } from 'lucide-react'
import { useState } from 'react'
import type { PipelineNode, RunDetail } from '../../src/wire.ts'
import { Check } from '../parts/check.tsx'
import { Empty } from '../parts/empty.tsx'
import { useMedia } from '../use-media.ts'
import { findNode, mostNotable } from './find-node.ts'
import { NodeDetail } from './node-detail.tsx'
import { NodeList } from './node-list.tsx'
import { StepSection } from './step-section.tsx'

interface PipelineViewProps {
  run: RunDetail
  /** The id of the selected node. */
  selected: string | undefined
  onSelect: (node: string | undefined) => void
}

/** The steps of a run with their nodes, and the details of the selected node. */
export function PipelineView({ run, selected, onSelect }: PipelineViewProps) {
  const isSplit = useMedia('(width >= 70rem)')
  const [isBrief, setBrief] = useState(false)
  // On wide screens, the most notable node is selected at first.
  const shown = selected ?? (isSplit ? mostNotable(run) : undefined)
  const placed = shown === undefined ? undefined : findNode(run, shown)
  const isEmpty = run.before.length === 0 && run.steps.length === 0 && run.after.length === 0

  if (isEmpty) {
    return (
      <Empty Icon={Waypoints} title={run.state === 'running' ? 'The run has just started' : 'No steps'}>
        <p>
          {run.state === 'running'
            ? 'Steps appear here when they start.'
            : 'The run ended before its first step.'}
        </p>
      </Empty>
    )
  }
  const outside = (title: string, nodes: readonly PipelineNode[]) =>
    nodes.length > 0 && (
      <section className="step" aria-label={title}>
        <header className="step-head">
          <h2>{title}</h2>
        </header>
        <NodeList nodes={nodes} run={run} isBrief={isBrief} selected={shown} onSelect={onSelect} />
      </section>
    )
  return (
    <div className="pipeline">
      <div className="steps">
        <div className="row small">
          <Check isChecked={isBrief} onChange={setBrief}>
            Hide processors that passed
          </Check>
        </div>
        {outside('Before the first step', run.before)}
        {run.steps.map((step) => (
          <StepSection
            key={step.stepNumber}
            step={step}
            run={run}
            isBrief={isBrief}
            selected={shown}
            onSelect={onSelect}
          />
        ))}
        {outside('After the last step', run.after)}
      </div>
      {isSplit && (
        <aside className="inspector" aria-label="Selected">
          {placed ? (
            <NodeDetail key={shown} placed={placed} run={run} />
          ) : (
            <Empty Icon={MousePointerClick} title="Select a processor, model call or tool call">
              <p>Its changes, findings and times are shown here.</p>
            </Empty>
          )}
        </aside>
      )}
      {!isSplit && (
        <Dialog.Root
          open={placed !== undefined}
          onOpenChange={(open) => {
            if (!open) onSelect(undefined)
          }}
        >
          <Dialog.Portal>
            <Dialog.Backdrop className="backdrop" />
            <Dialog.Popup className="sheet">
              <Dialog.Title className="visually-hidden">Selected</Dialog.Title>
              <Dialog.Close className="icon-button sheet-close" aria-label="Close">
                <X aria-hidden size={18} />
              </Dialog.Close>
              {placed && <NodeDetail placed={placed} run={run} />}
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      )}
    </div>
  )
}
