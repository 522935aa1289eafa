import { Bot, Wrench } from 'lucide-react'
import { memo } from 'react'
import type { PipelineNode, RunDetail, StepView, ToolCallView } from '../../src/wire.ts'
import { formatDuration } from '../format/numbers.ts'
import { Badge, CALL_STATES, type Look, OUTCOMES } from '../parts/outcome.tsx'
import { hasActed } from './find-node.ts'
import { hookText } from './hooks.ts'
import { spanOf, stretchOf } from './timing.ts'

interface NodeListProps {
  nodes: readonly PipelineNode[]
  run: RunDetail
  step?: StepView
  isBrief: boolean
  selected: string | undefined
  onSelect: (node: string) => void
}

/** The nodes of a step in order. Nodes after a block are dimmed. */
export function NodeList({ nodes, step, isBrief, selected, onSelect }: NodeListProps) {
  const callOf = (toolCallId: string) => step?.toolCalls.find((call) => call.toolCallId === toolCallId)
  const durationOf = (node: PipelineNode): number =>
    (node.kind === 'tool' ? callOf(node.toolCallId)?.durationMs : node.durationMs) ?? 0
  const whole = stretchOf(nodes, durationOf)
  const shown = isBrief ? nodes.filter(hasActed) : nodes
  const closedAt = shown.findIndex((node) => node.kind === 'processor' && node.outcome === 'blocked')
  if (shown.length === 0) return <p className="nodes-none soft small">All processors passed.</p>
  return (
    <ol className="nodes">
      {shown.map((node, index) => {
        const durationMs = durationOf(node)
        const { start, width } = spanOf(node.atMs, durationMs, whole)
        return (
          <li key={node.id} className="node" data-dry={(closedAt >= 0 && index > closedAt) || undefined}>
            <NodeButton
              node={node}
              call={node.kind === 'tool' ? callOf(node.toolCallId) : undefined}
              durationMs={node.kind === 'model' && node.durationMs === undefined ? undefined : durationMs}
              start={start}
              width={width}
              isSelected={node.id === selected}
              onSelect={onSelect}
            />
          </li>
        )
      })}
    </ol>
  )
}

interface NodeButtonProps {
  node: PipelineNode
  call: ToolCallView | undefined
  durationMs: number | undefined
  start: number
  width: number
  isSelected: boolean
  onSelect: (node: string) => void
}

const NodeButton = memo(function NodeButton(props: NodeButtonProps) {
  const { node, call, durationMs, start, width, isSelected, onSelect } = props
  const look = lookOf(node, call)
  return (
    <button
      type="button"
      className="node-button"
      data-kind={node.kind}
      data-outcome={node.kind === 'processor' ? node.outcome : undefined}
      data-tone={look.tone}
      aria-pressed={isSelected}
      onClick={() => onSelect(node.id)}
    >
      <span className="gate" aria-hidden="true">
        {node.kind === 'model' ? (
          <Bot size={13} />
        ) : node.kind === 'tool' ? (
          <Wrench size={12} />
        ) : (
          <i className="gate-mark" />
        )}
      </span>
      <span className="node-name">
        <span className="cut">{nameOf(node, call)}</span>
        <span className="node-hook cut">{subtitleOf(node)}</span>
      </span>
      <span className="node-marks">
        {kindsOf(node).map((kind) => (
          <span key={kind} className="kind">
            {kind}
          </span>
        ))}
        {(node.kind !== 'model' || durationMs === undefined) && <Badge look={look} />}
      </span>
      <span className="bar" aria-hidden="true">
        <i className="bar-fill" style={{ left: `${start * 100}%`, width: `${width * 100}%` }} />
      </span>
      <span className="node-time number">{durationMs === undefined ? '' : formatDuration(durationMs)}</span>
    </button>
  )
})

export function lookOf(node: PipelineNode, call: ToolCallView | undefined): Look {
  if (node.kind === 'processor') return OUTCOMES[node.outcome]
  if (node.kind === 'tool') return CALL_STATES[call?.state ?? 'requested']
  return {
    label: node.durationMs === undefined ? 'Answering' : 'Answered',
    tone: 'water',
    Icon: CALL_STATES.running.Icon,
  }
}

export function nameOf(node: PipelineNode, call: ToolCallView | undefined): string {
  if (node.kind === 'processor') return node.processorId
  return node.kind === 'model' ? node.modelId : (call?.toolName ?? node.toolCallId)
}

function subtitleOf(node: PipelineNode): string {
  if (node.kind === 'processor') return hookText(node.hook)
  return node.kind === 'model' ? 'model' : 'tool'
}

/** The distinct kinds of the findings. */
function kindsOf(node: PipelineNode): string[] {
  if (node.kind !== 'processor') return []
  return [...new Set(node.findings.map(({ kind }) => kind))].slice(0, 3)
}
