import { QueryClient } from '@tanstack/react-query'
import { RequestFailed } from './request.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server refuses it refuses again; only a lost connection is tried once more.
      retry: (count, error) => !(error instanceof RequestFailed) && count < 1,
      retryDelay: 500,
      refetchOnWindowFocus: false,
      staleTime: 5_000,
    },
  },
})
