import type { PipelineNode } from '../../src/wire.ts'

export interface Span {
  /** From 0 to 1, of the whole that is drawn. */
  start: number
  width: number
}

/** Where in a stretch of time something happened, to be drawn as a bar: within 0 and 1, whatever the clocks say. */
export function spanOf(atMs: number, durationMs: number, whole: { fromMs: number; toMs: number }): Span {
  const length = whole.toMs - whole.fromMs
  if (!(length > 0)) return { start: 0, width: 0 }
  const start = clamp((atMs - whole.fromMs) / length)
  const end = clamp((atMs + Math.max(durationMs, 0) - whole.fromMs) / length)
  return { start, width: Math.max(end - start, 0) }
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share))

/** From the first of some nodes to the end of the last. */
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
