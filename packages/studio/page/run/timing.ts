import type { PipelineNode } from '../../src/wire.ts'

export interface Span {
  /** As a fraction of the whole, from 0 to 1. */
  start: number
  width: number
}

/** The start and width of a bar in the timeline, clamped to 0 and 1, because clocks may differ. */
export function spanOf(atMs: number, durationMs: number, whole: { fromMs: number; toMs: number }): Span {
  const length = whole.toMs - whole.fromMs
  if (!(length > 0)) return { start: 0, width: 0 }
  const start = clamp((atMs - whole.fromMs) / length)
  const end = clamp((atMs + Math.max(durationMs, 0) - whole.fromMs) / length)
  return { start, width: Math.max(end - start, 0) }
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share))

/** From the start of the first node to the end of the last. */
export function stretchOf(
  nodes: readonly PipelineNode[],
  durationOf: (node: PipelineNode) => number,
): { fromMs: number; toMs: number } {
  let fromMs = Number.POSITIVE_INFINITY
  let toMs = 0
  for (const node of nodes) {
    fromMs = Math.min(fromMs, node.atMs)
    toMs = Math.max(toMs, node.atMs + durationOf(node))
  }
  return { fromMs: Math.min(fromMs, toMs), toMs }
}
