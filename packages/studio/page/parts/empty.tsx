import { Compass, type LucideIcon, RotateCw, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

interface EmptyProps {
  Icon: LucideIcon
  title: string
  children?: ReactNode
}

/** What stands where there is nothing, and what to do about it. */
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
      <Empty Icon={Compass} title="There is nothing here">
        {children ?? <p>The address may be of another version of Studio.</p>}
        <Link href="/" className="button">
          All runs
        </Link>
      </Empty>
    </div>
  )
}

/** An error, with a way to try again where there is one. */
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

/** Of an error of the server its message; `fetch` alone says only that it failed. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'Studio does not answer. Is its process still running?'
  return error instanceof Error ? error.message : String(error)
}

export function Loading({ label }: { label: string }) {
  return <div className="loading" role="status" aria-label={label} />
}
