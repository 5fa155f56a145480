"""The functions of the projection, exact to the bit. As a program, it prints a hash of each function's results for
100,000 random inputs."""

import math
import struct

ROOT_OF_2 = 1.4142135623730951


def polynomial(z, *coefficients):
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = coefficient + z * total
    return total


def y_of_latitude(latitude):
    part = min(abs(latitude), 85.0511287798066) * (1 / 90)
    z = part * part
    odd = part * polynomial(z, 0.7853981633974483, -0.062145352039566705, 0.0008382296683324081, -1.3777072437601478e-06)
    even = polynomial(z, 1.0, -0.2847426780942919, 0.008881232016430318, -4.889060316775422e-05)
    above, below = even + odd, even - odd
    doublings = sum(above > power * (below * ROOT_OF_2) for power in (1, 2, 4, 8, 16))
    below *= 2 ** doublings
    rest = (above - below) / (above + below)
    height = doublings * 473811343.4944856 + rest * polynomial(
        rest * rest, 1367130551.152827, 455710183.805887, 273426075.3129126, 195309406.2532113, 151575472.50482783,
        134034132.99516822)
    return 2.0 ** 31 + (height if latitude < 0 else -height)


def latitude_of_y(y):
    height = min(max(1 - y * 2.0 ** -31, -1.0), 1.0)
    z = height * height
    odd = polynomial(
        z, 179.99999999999778, 2004.3963709410161, 8532.402038610662, 17507.030935487255, 17997.094038867355,
        8767.160003102932, 1728.2789883039677, 106.33541022953081, 0.9664572686250515)
    even = polynomial(
        z, 1.0, 12.780469460957695, 64.36655102885277, 162.90363037971449, 219.20128720666466, 152.74401722578062,
        49.33933538071875, 5.61535797303942, 0.1611690007432005)
    return height * odd / even


def exp2(x):
    whole = math.floor(abs(x) + 0.5) if abs(x) < 2.0 ** 52 else abs(x)
    whole = math.copysign(whole, x)
    rest = x - whole
    part = 1 + rest * polynomial(
        rest, 0.6931471805599453, 0.24022650695910097, 0.0555041086648216, 0.009618129107606888, 0.0013333558146416936,
        0.0001540353044173605, 1.525273382983612e-05, 1.321544258792169e-06, 1.0178062445845774e-07,
        7.072585949269223e-09, 4.4549605981865186e-10)
    return math.ldexp(part, int(max(min(whole, 1023), -2000)))


def log2(x):
    part, whole = math.frexp(x)
    part, whole = 2 * part, whole - 1
    if part > ROOT_OF_2:
        part, whole = part / 2, whole + 1
    rest = (part - 1) / (part + 1)
    return whole + rest * polynomial(
        rest * rest, 2.8853900817779268, 0.9617966939259898, 0.5770780163455203, 0.4121985858409005, 0.32059853491395984,
        0.262334352504183, 0.2209130842311768, 0.2136589569431927)


MASK = 2**64 - 1


def split_mix_64(seed):
    """Yields random numbers that are the same on every machine."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & MASK
        yield mixed ^ mixed >> 31


def print_hash(name, function, make_input, count=100_000, seed=1):
    numbers = split_mix_64(seed)
    total = 0xCBF29CE484222325
    for _ in range(count):
        bits, = struct.unpack("<Q", struct.pack("<d", function(make_input(numbers))))
        total = ((total ^ bits) * 0x100000001B3) & MASK
    print(f"{name} {total:016x}")


def fraction(numbers):
    return (next(numbers) >> 11) * 2.0 ** -53


if __name__ == "__main__":
    print_hash("Y", y_of_latitude, lambda numbers: -85.06 + 170.12 * fraction(numbers))
    print_hash("latitude", latitude_of_y, lambda numbers: 2.0 ** 32 * fraction(numbers))
    print_hash("2^x", exp2, lambda numbers: -30 + 60 * fraction(numbers))
    print_hash("log2", log2, lambda numbers: math.ldexp(1 + fraction(numbers), next(numbers) % 81 - 40))
