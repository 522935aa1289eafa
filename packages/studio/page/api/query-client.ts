import { QueryClient } from '@tanstack/react-query'
import { RequestFailed } from './request.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Retry a lost connection once. A request that the server refused is not retried.
      retry: (count, error) => !(error instanceof RequestFailed) && count < 1,
      retryDelay: 500,
      refetchOnWindowFocus: false,
      staleTime: 5_000,
    },
  },
})
