import { Collapsible } from '@base-ui/react/collapsible'
import { type DynamicToolUIPart, getToolName, type ToolUIPart } from 'ai'
import { Ban, Check, ChevronRight, LoaderCircle, TriangleAlert, UserRoundCheck } from 'lucide-react'

interface ToolCallProps {
  part: ToolUIPart | DynamicToolUIPart
  isBusy: boolean
  onAnswer: (approvalId: string, approved: boolean) => void
}

const LABELS: Readonly<Record<string, string>> = { orderStatus: 'Look up the order', refund: 'Refund' }

/** A tool call with its input, approval and result. */
export function ToolCall({ part, isBusy, onAnswer }: ToolCallProps) {
  const name = getToolName(part)
  const label = LABELS[name] ?? name
  const { Icon, text, isRunning = false } = stateOf(part)
  const isAsked = part.state === 'approval-requested'
  return (
    <section className="tool" data-state={part.state} aria-label={`${label}: ${text}`}>
      <div className="tool-head">
        <Icon aria-hidden size={16} className={isRunning ? 'spinning' : undefined} />
        <span className="tool-name">{label}</span>
        <span className="tool-state">{text}</span>
      </div>
      <dl className="tool-input">
        {fieldsOf(part.input).map(([field, value]) => (
          <div key={field}>
            <dt>{field}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isAsked && (
        <div className="tool-actions">
          <button
            type="button"
            className="button primary"
            disabled={isBusy}
            onClick={() => onAnswer(part.approval.id, true)}
          >
            Approve
          </button>
          <button
            type="button"
            className="button"
            disabled={isBusy}
            onClick={() => onAnswer(part.approval.id, false)}
          >
            Deny
          </button>
        </div>
      )}
      {part.state === 'output-available' && (
        <Collapsible.Root>
          <Collapsible.Trigger className="quiet-button tool-more">
            <ChevronRight aria-hidden size={14} className="chevron" /> Result
          </Collapsible.Trigger>
          <Collapsible.Panel>
            <pre className="tool-output">{JSON.stringify(part.output, null, 2)}</pre>
          </Collapsible.Panel>
        </Collapsible.Root>
      )}
    </section>
  )
}

function stateOf(part: ToolUIPart | DynamicToolUIPart) {
  switch (part.state) {
    case 'approval-requested':
      return { Icon: UserRoundCheck, text: 'Needs your approval' }
    case 'approval-responded':
      return part.approval.approved
        ? { Icon: LoaderCircle, text: 'Approved', isRunning: true }
        : { Icon: Ban, text: 'Denied' }
    case 'output-available':
      return { Icon: Check, text: 'Done' }
    case 'output-denied':
      return { Icon: Ban, text: 'Denied' }
    case 'output-error':
      return { Icon: TriangleAlert, text: 'Failed' }
    default:
      return { Icon: LoaderCircle, text: 'Running', isRunning: true }
  }
}

function fieldsOf(input: unknown): [string, string][] {
  if (typeof input !== 'object' || input === null) return []
  return Object.entries(input).map(([field, value]) => [
    field,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
}
