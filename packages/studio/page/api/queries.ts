import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import {
  type ChunksPage,
  type ChunksQuery,
  type GuardList,
  type Info,
  ROUTES,
  type RunDetail,
  type RunQuery,
  type RunSummary,
  type RunsPage,
  type RunsQuery,
  type SuspendedPage,
} from '../../src/wire.ts'
import { request } from './request.ts'

/** The maximum page size of the server. */
const PAGE_SIZE = 200
export const CHUNKS_AT_ONCE = 500

/** The query keys. */
export const KEYS = {
  info: ['info'],
  runs: ['runs'],
  run: (runId: string, isRevealed: boolean) => ['run', runId, isRevealed],
  chunks: (runId: string, isRevealed: boolean, page: number) => ['chunks', runId, isRevealed, page],
  suspended: ['suspended'],
  guards: ['guards'],
} as const

export type RunsFilter = Omit<RunsQuery, 'limit' | 'cursor'>

export function useInfo(): UseQueryResult<Info> {
  return useQuery({
    queryKey: KEYS.info,
    queryFn: ({ signal }) => request<Info>(ROUTES.info, { signal }),
    staleTime: 60_000,
  })
}

/** Runs from newest to oldest, page by page. */
export function useRuns(filter: RunsFilter): UseInfiniteQueryResult<RunSummary[]> {
  return useInfiniteQuery({
    queryKey: [...KEYS.runs, filter],
    queryFn: ({ pageParam, signal }) =>
      request<RunsPage>(ROUTES.runs, {
        query: { ...filter, limit: PAGE_SIZE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: flatten,
    placeholderData: keepPreviousData,
    // Live events update the pages, so they are not refetched.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

const flatten = ({ pages }: { pages: RunsPage[] }): RunSummary[] => pages.flatMap(({ runs }) => runs)

export function useRunDetail(runId: string, isRevealed = false): UseQueryResult<RunDetail> {
  return useQuery<RunDetail>({
    queryKey: KEYS.run(runId, isRevealed),
    queryFn: ({ signal }) => readRun(runId, isRevealed, signal),
    placeholderData: (previous) => (previous?.id === runId ? previous : undefined),
  })
}

function readRun(runId: string, isRevealed: boolean, signal?: AbortSignal): Promise<RunDetail> {
  return request<RunDetail>(ROUTES.run, { params: { runId }, query: revealed(isRevealed), signal })
}

export function readChunks(
  runId: string,
  isRevealed: boolean,
  page: number,
  signal?: AbortSignal,
): Promise<ChunksPage> {
  return request<ChunksPage>(ROUTES.chunks, {
    params: { runId },
    query: {
      ...revealed(isRevealed),
      from: page * CHUNKS_AT_ONCE,
      limit: CHUNKS_AT_ONCE,
    } satisfies ChunksQuery,
    signal,
  })
}

export function revealed(isRevealed: boolean): RunQuery {
  return isRevealed ? { reveal: '1' } : {}
}

export function useSuspended(): UseQueryResult<SuspendedPage> {
  return useQuery({
    queryKey: KEYS.suspended,
    queryFn: ({ signal }) => request<SuspendedPage>(ROUTES.suspended, { signal }),
  })
}

export function useGuards(): UseQueryResult<GuardList> {
  return useQuery({
    queryKey: KEYS.guards,
    queryFn: ({ signal }) => request<GuardList>(ROUTES.guards, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
