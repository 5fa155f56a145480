// Declares the parts of Dispatch that the builder uses, according to Apple's documentation. This file only serves to
// check types.

public final class DispatchQueue: Sendable {
  public static func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
  public static func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
  public func async(execute work: @escaping @Sendable () -> Void) {}
}

public struct DispatchQoS: Sendable {
  public enum QoSClass: Sendable { case utility, `default` }
}

public final class DispatchSemaphore: Sendable {
  public init(value: Int) {}
  public func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  @discardableResult public func signal() -> Int { 0 }
}

public enum DispatchTimeoutResult: Sendable { case success, timedOut }
public enum DispatchTimeInterval: Sendable { case milliseconds(Int) }

public struct DispatchTime: Sendable {
  public static func now() -> DispatchTime { DispatchTime() }
  public static func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
}
