import type { ReactNode } from 'react'

interface ScrollRegionProps {
  label: string
  className: string
  children: ReactNode
}

/** A part of the page that scrolls, which the keyboard reaches too. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll it.
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
