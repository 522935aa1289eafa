import type { Reading, Window } from '@millrace/guards/internals'

/** Where an order is in a text, in words. Formats such as JSON and CSV may escape its quotation marks. */
export function placeOfOrder({ text, starts, ends }: Reading, order: string): Window | undefined {
  for (const written of [order, JSON.stringify(order).slice(1, -1), order.replaceAll('"', '""')]) {
    const start = text.indexOf(written)
    if (start < 0) continue
    const from = ends.findIndex((end) => end > start)
    const after = starts.findIndex((each) => each >= start + written.length)
    const to = after < 0 ? starts.length : after
    return from >= 0 && to > from ? { from, to } : undefined
  }
  return undefined
}
