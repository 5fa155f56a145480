// The C library of the platform, under one name.
#if canImport(Darwin)
  @_exported import Darwin
#elseif canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Android)
  @_exported import Android
#elseif canImport(WASILibc)
  @_exported import WASILibc
#elseif os(Windows)
  @_exported import CRT
#endif
