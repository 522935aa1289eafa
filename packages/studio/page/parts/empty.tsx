import { Compass, type LucideIcon, RotateCw, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

interface EmptyProps {
  Icon: LucideIcon
  title: string
  children?: ReactNode
}

/** An empty state, with what to do about it. */
export function Empty({ Icon, title, children }: EmptyProps) {
  return (
    <div className="empty">
      <Icon aria-hidden size={34} strokeWidth={1.4} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}

export function NotFound({ children }: { children?: ReactNode }) {
  return (
    <div className="page">
      <h1 className="visually-hidden">Not found</h1>
      <Empty Icon={Compass} title="Page not found">
        {children ?? <p>The link may be from another version of Studio.</p>}
        <Link href="/" className="button">
          All runs
        </Link>
      </Empty>
    </div>
  )
}

/** An error, with a retry button if possible. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className="notice" data-tone="blocked" role="alert">
      <TriangleAlert aria-hidden size={15} />
      <span>{messageOf(error)}</span>
      {onRetry && (
        <button type="button" className="button" onClick={onRetry}>
          <RotateCw aria-hidden size={13} /> Try again
        </button>
      )}
    </div>
  )
}

/** The message of a server error. A `TypeError` of `fetch` means that the connection failed. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'Studio does not respond. Check whether its process still runs.'
  return error instanceof Error ? error.message : String(error)
}

export function Loading({ label }: { label: string }) {
  return <div className="loading" role="status" aria-label={label} />
}
