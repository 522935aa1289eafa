import {
  Ban,
  Check,
  CircleSlash,
  CircleStop,
  Flag,
  Hand,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  MessageSquareReply,
  PencilLine,
  RotateCcw,
  SkipForward,
  TriangleAlert,
  Unplug,
} from 'lucide-react'
import type { Outcome, RunState, ToolCallView } from '../../src/wire.ts'

export type Tone = 'fine' | 'changed' | 'held' | 'blocked' | 'waiting' | 'water' | 'quiet'

export interface Look {
  label: string
  tone: Tone
  Icon: LucideIcon
}

export const STATES: Readonly<Record<RunState, Look>> = {
  running: { label: 'Running', tone: 'water', Icon: LoaderCircle },
  completed: { label: 'Completed', tone: 'fine', Icon: Check },
  limit: { label: 'Step limit', tone: 'changed', Icon: Flag },
  tripwire: { label: 'Blocked', tone: 'blocked', Icon: Ban },
  halted: { label: 'Guard answered', tone: 'held', Icon: MessageSquareReply },
  suspended: { label: 'Waiting', tone: 'waiting', Icon: Hourglass },
  aborted: { label: 'Aborted', tone: 'quiet', Icon: CircleStop },
  failed: { label: 'Failed', tone: 'blocked', Icon: TriangleAlert },
  interrupted: { label: 'Interrupted', tone: 'changed', Icon: Unplug },
}

export const OUTCOMES: Readonly<Record<Outcome, Look>> = {
  passed: { label: 'Passed', tone: 'quiet', Icon: Check },
  held: { label: 'Held back', tone: 'held', Icon: Hand },
  changed: { label: 'Changed', tone: 'changed', Icon: PencilLine },
  blocked: { label: 'Blocked', tone: 'blocked', Icon: Ban },
  halted: { label: 'Answered', tone: 'held', Icon: MessageSquareReply },
  suspended: { label: 'Suspended', tone: 'waiting', Icon: Hourglass },
  retried: { label: 'Retried', tone: 'changed', Icon: RotateCcw },
  skipped: { label: 'Skipped', tone: 'quiet', Icon: SkipForward },
  failed: { label: 'Failed', tone: 'blocked', Icon: TriangleAlert },
}

export const CALL_STATES: Readonly<Record<ToolCallView['state'], Look>> = {
  requested: { label: 'Requested', tone: 'quiet', Icon: LoaderCircle },
  running: { label: 'Running', tone: 'water', Icon: LoaderCircle },
  waiting: { label: 'Waiting', tone: 'waiting', Icon: Hourglass },
  done: { label: 'Done', tone: 'fine', Icon: Check },
  error: { label: 'Error', tone: 'blocked', Icon: TriangleAlert },
  denied: { label: 'Denied', tone: 'blocked', Icon: CircleSlash },
  interrupted: { label: 'Interrupted', tone: 'changed', Icon: Unplug },
}

export function Badge({ look: { label, tone, Icon } }: { look: Look }) {
  return (
    <span className="badge" data-tone={tone}>
      <Icon
        aria-hidden
        size={12}
        strokeWidth={2.4}
        className={Icon === LoaderCircle ? 'spinning' : undefined}
      />
      <span>{label}</span>
    </span>
  )
}
